#pragma once

#include <cstddef>
#include <string>

namespace sumac::report {

/// The classes of a series' colour: "s0", "s1" and so on, then again from the first.
std::string seriesClass(std::size_t series);

/// The mark of a series around a point. Series of one colour have different marks, and so do the
/// first series of different colours: nobody has to tell colours apart. A hollow one stands for
/// what was not measured as the others were.
std::string mark(std::size_t series, double x, double y, bool is_hollow);

/// The path of an arrowhead with its tip at a point: where an interval leaves the plot. It points
/// along (dx, dy), of which one is 1 or -1 and the other 0.
std::string arrowhead(double x, double y, double dx, double dy);

/// A diamond that stands for a prediction.
std::string forecastMark(double x, double y);

}  // namespace sumac::report
