#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/report/drawing.h"

namespace sumac::report {

/// What was measured at one place of the horizontal axis.
struct Point {
  double x = 0;
  double y = 0;                        // >= 0
  std::optional<double> half_width{};  // of its interval
  bool is_hollow = false;              // not measured as the others were
};

struct Series {
  std::string name;
  std::vector<Point> points;  // in order of x
};

/// A line to compare with: constant + slope x.
struct Reference {
  std::string name;
  double constant = 0;
  double slope = 0;
};

/// A part of the horizontal axis in which nothing goes on, such as a restart.
struct Pause {
  double begin = 0;
  double end = 0;
};

/// Values over a number, each series a line. A vertical axis that is not logarithmic begins at
/// zero.
struct LineChart {
  std::string title;
  std::string x_title;
  std::vector<Series> series;
  std::optional<Reference> reference{};
  std::string note{};           // a short line below
  bool is_logarithmic = false;  // the vertical axis, which then has no zero; holds the reference
  /// The horizontal axis is time, or goes on like it: it begins at zero with round numbers, and of
  /// each series only some points have marks.
  bool is_continuous = false;
  std::vector<Pause> pauses{};  // shaded
};

/// Draws a chart. Numbers on the horizontal axis that double from one to the next, or reach over
/// two powers of ten, are drawn by their logarithm, unless it is continuous. Intervals are
/// whiskers; one that reaches far beyond all means ends in an arrow at the plot's edge. Long names
/// take several lines. Requires at least one point, and x > 0, or >= 0 of a continuous axis.
Drawing draw(const LineChart& chart);

}  // namespace sumac::report
