#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/report/drawing.h"

namespace sumac::report {

/// What was measured at one place of the horizontal axis.
struct Point {
  double x = 0;
  double y = 0;                        // not below LineChart::y_low
  std::optional<double> half_width{};  // of its interval
  bool is_hollow = false;              // not measured as the others were
};

struct Series {
  std::string name{};
  std::vector<Point> points{};         // in order of x
  bool is_faint = false;               // drawn thin and pale, without marks: behind its own mean
  std::string end{};                   // beside the last point: its value
  std::optional<std::size_t> best{};   // the index of a point that a ring marks
  std::optional<std::size_t> color{};  // of the chart's colors; nothing: in order
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
/// zero, or at a round number below `y_low`.
struct LineChart {
  std::string title;
  std::string x_title;
  std::vector<Series> series{};
  std::optional<Reference> reference{};
  std::string note{};           // a short line below
  bool is_logarithmic = false;  // the vertical axis, which then has no zero; holds the reference
  /// The horizontal axis is time, or goes on like it: it begins at zero with round numbers, and of
  /// each series only some points have marks.
  bool is_continuous = false;
  std::vector<Pause> pauses{};  // shaded
  double y_low = 0;
  std::string y_unit{};  // after each number of the vertical axis: " %"
  double width = 480;    // of the whole drawing
  // At least so much room for the numbers of the vertical axis and for the values at lines' ends:
  // charts below each other then have the same horizontal axis.
  double left_room = 0;
  double right_room = 0;
};

/// Draws a chart. Numbers on the horizontal axis that double from one to the next, or reach over
/// two powers of ten, are drawn by their logarithm, unless it is continuous. Intervals are
/// whiskers; one that reaches far beyond all means ends in an arrow at the plot's edge. Long names
/// take several lines. Requires at least one point, and x > 0, or >= 0 of a continuous axis.
Drawing draw(const LineChart& chart);

}  // namespace sumac::report
