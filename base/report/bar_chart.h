#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/report/drawing.h"

namespace sumac::report {

/// A value with what it is made of.
struct Bar {
  std::string name;
  std::string value;                   // as text, beside the name
  std::vector<double> parts;           // >= 0; their sum is the bar's length
  std::optional<double> half_width{};  // of the sum's interval
  std::optional<double> forecast{};    // what the sum was predicted to be
  bool is_hollow = false;              // not measured as the others were
};

/// Bars below each other, each with its name above it. The axis begins at zero.
struct BarChart {
  std::string title;
  std::string value_title;
  std::vector<std::string> parts;  // their names; told where there are several
  std::vector<Bar> bars;
  std::string note{};  // a short line below
};

/// Draws a chart. Parts differ by pattern as well as by colour. Intervals and long names are as in
/// line charts. Requires a bar, and as many parts of each as the chart has.
Drawing draw(const BarChart& chart);

}  // namespace sumac::report
