#include "experiment/page/panels.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/report/colours.h"

#include "experiment/report/labels.h"

namespace sumac::experiment {
namespace {

/// The first axis with several values, but for `workers`.
std::optional<std::size_t> firstAxis(const std::vector<Axis>& axes,
                                     std::optional<std::size_t> workers) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i != workers && axes[i].values.size() > 1) return i;
  }
  return std::nullopt;
}

std::vector<Panel> wholePanel(const Findings& findings, std::vector<std::size_t> left_out) {
  Panel panel{{}, std::move(left_out), ""};
  for (std::size_t i = 0; i < findings.cells.size(); ++i)
    panel.cells.push_back(i);
  return {std::move(panel)};
}

std::vector<Panel> panelsBy(std::size_t axis, const Findings& findings,
                            std::vector<std::size_t> left_out) {
  left_out.push_back(axis);
  const Axis& split = findings.experiment.axes[axis];
  std::vector<Panel> panels;
  for (const AxisValue& value : split.values) {
    const std::string text = valueText(findings.experiment.axes, axis, value.name);
    panels.push_back({{}, left_out, ": " + text});
    for (std::size_t i = 0; i < findings.cells.size(); ++i) {
      if (findings.cells[i].values[axis] == value.name) panels.back().cells.push_back(i);
    }
  }
  return panels;
}

}  // namespace

bool isWide(const std::vector<double>& values) {
  constexpr double kMany = 20;
  double least = 0;
  double most = 0;
  for (const double value : values) {
    if (value > 0 && (least == 0 || value < least)) least = value;
    most = std::max(most, value);
  }
  return least > 0 && most > kMany * least;
}

std::vector<Panel> linePanels(const Findings& findings, std::size_t workers) {
  const auto& axes = findings.experiment.axes;
  std::size_t series = 1;
  for (std::size_t i = 0; i < axes.size(); ++i)
    series *= i == workers ? 1 : axes[i].values.size();
  const auto split = firstAxis(axes, workers);
  return series <= report::kSeries || !split ? wholePanel(findings, {workers})
                                             : panelsBy(*split, findings, {workers});
}

std::vector<Panel> barPanels(const Findings& findings,
                             const std::function<double(const CellSummary&)>& length) {
  std::vector<double> lengths;
  for (const CellSummary& summary : findings.summaries)
    lengths.push_back(length(summary));
  const auto& axes = findings.experiment.axes;
  const auto split = firstAxis(axes, std::nullopt);
  // Of a single axis each picture would have one bar.
  return axes.size() < 2 || !split || !isWide(lengths) ? wholePanel(findings, {})
                                                       : panelsBy(*split, findings, {});
}

}  // namespace sumac::experiment
