#include "job/progress/curve_svg.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/core/units.h"
#include "base/report/drawing.h"
#include "base/report/line_chart.h"

namespace sumac {
namespace {

using report::LineChart;
using report::Point;
using report::Series;
using Values = std::map<Step, double>;

constexpr double kWidth = 800;
constexpr std::size_t kMaxPoints = 750;  // about one a pixel
constexpr std::size_t kTrainingColor = 0;
constexpr std::size_t kTestColor = 1;

/// Averages neighbors until at most kMaxPoints are left.
std::vector<Point> thinned(const Values& values) {
  const std::size_t group = (values.size() + kMaxPoints - 1) / kMaxPoints;
  std::vector<Point> points;
  std::size_t in_group = 0;
  for (const auto& [step, value] : values) {
    if (in_group == 0) points.push_back({});
    Point& point = points.back();
    ++in_group;
    point.x += (static_cast<double>(step) - point.x) / static_cast<double>(in_group);
    point.y += (value - point.y) / static_cast<double>(in_group);
    if (in_group == group) in_group = 0;
  }
  return points;
}

/// The mean of the values around each step, over a hundredth of them all. Each is summed anew: one
/// huge loss is in no mean but those around it.
Values smoothed(const Values& values) {
  constexpr std::size_t kShare = 100;
  const std::size_t reach = values.size() / kShare / 2;
  if (reach == 0) return values;
  const std::vector<std::pair<Step, double>> all(values.begin(), values.end());
  const std::size_t stride = std::max<std::size_t>(1, all.size() / kMaxPoints);
  Values means;
  for (std::size_t i = (all.size() - 1) % stride; i < all.size(); i += stride) {
    const std::size_t begin = i - std::min(i, reach);
    const std::size_t end = std::min(i + reach + 1, all.size());
    double sum = 0;
    for (std::size_t j = begin; j < end; ++j)
      sum += all[j].second;
    means.emplace_hint(means.end(), all[i].first, sum / static_cast<double>(end - begin));
  }
  return means;
}

/// A line of evaluations with its best one.
Series evaluations(const std::string& name, const Values& values, bool is_best_highest,
                   double factor) {
  Series series{.name = name, .points = thinned(values), .color = kTestColor};
  if (values.empty()) return series;
  const std::size_t group = (values.size() + kMaxPoints - 1) / kMaxPoints;
  const auto score = [](const auto& one) { return one.second; };
  const auto best = is_best_highest ? std::ranges::max_element(values, {}, score)
                                    : std::ranges::min_element(values, {}, score);
  const auto index = static_cast<std::size_t>(std::distance(values.begin(), best)) / group;
  // These two are evaluations even where the others are means of several.
  const auto take = [&series](std::size_t point, const auto& one) {
    series.points[point] = {.x = static_cast<double>(one.first), .y = one.second};
  };
  take(series.points.size() - 1, *values.rbegin());
  take(index, *best);
  for (Point& point : series.points)
    point.y *= factor;
  if (series.points.size() > 1) series.best = index;
  return series;
}

/// The last values stand at the lines' ends.
void addEnds(LineChart& chart, const auto& textOf) {
  for (Series& series : chart.series) {
    if (!series.is_faint && !series.points.empty()) series.end = textOf(series.points.back().y);
  }
}

LineChart chartOf(const std::string& title) {
  return {.title = title,
          .x_title = "step",
          .is_continuous = true,
          .width = kWidth,
          .left_room = 60,
          .right_room = 50};
}

void addLow(LineChart& chart) {
  for (const Series& series : chart.series)
    for (const Point& point : series.points)
      chart.y_low = std::min(chart.y_low, point.y);
}

LineChart lossChart(const TrainingCurve& curve) {
  LineChart chart = chartOf("Loss");
  if (!curve.loss.empty()) {
    const Values means = smoothed(curve.loss);
    if (means != curve.loss)
      chart.series.push_back(
          {.points = thinned(curve.loss), .is_faint = true, .color = kTrainingColor});
    chart.series.push_back(
        {.name = "training loss", .points = thinned(means), .color = kTrainingColor});
  }
  if (!curve.test_loss.empty())
    chart.series.push_back(evaluations(curve.is_validated ? "validation loss" : "test loss",
                                       curve.test_loss, false, 1));
  addLow(chart);
  addEnds(chart, [](double loss) { return fixedText(loss, std::abs(loss) < 10 ? 4 : 1); });
  return chart;
}

LineChart scoreChart(const TrainingCurve& curve) {
  constexpr double kPercent = 100;
  if (!curve.perplexity.empty()) {
    LineChart chart = chartOf("Validation perplexity");
    chart.series.push_back(evaluations("", curve.perplexity, false, 1));
    addEnds(chart, [](double perplexity) { return readableText(perplexity); });
    return chart;
  }
  LineChart chart = chartOf(curve.is_validated ? "Validation accuracy" : "Test accuracy");
  chart.y_unit = " %";
  if (curve.accuracy.empty()) return chart;
  chart.series.push_back(evaluations("", curve.accuracy, true, kPercent));
  addEnds(chart, [](double percent) { return fixedText(percent, 2) + " %"; });
  return chart;
}

}  // namespace

std::string curveSvg(const TrainingCurve& curve) {
  std::vector<report::Drawing> drawings;
  for (const LineChart& chart : {lossChart(curve), scoreChart(curve)}) {
    if (!chart.series.empty()) drawings.push_back(draw(chart));
  }
  if (drawings.empty()) drawings.push_back({kWidth, 0, "", ""});
  return svgFile(stacked(curve.title, drawings));
}

}  // namespace sumac
