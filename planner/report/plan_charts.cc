#include "planner/report/plan_charts.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/core/units.h"
#include "base/report/bar_chart.h"
#include "base/report/line_chart.h"
#include "planner/report/sentences.h"

namespace sumac::planner {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kMilliseconds = 1'000;

/// A unit in which no value is far below one.
struct TimeUnit {
  const char* name;
  double seconds;
};

TimeUnit timeUnitOf(double smallest) {
  if (smallest >= kHour) return {"hours", kHour};
  if (smallest >= kMinute) return {"minutes", kMinute};
  return {"seconds", 1};
}

using ValueOf = std::function<std::optional<double>(const Configuration&)>;

/// A line over the number of workers; no points where no configuration has the value.
report::Series scaleSeries(const Advice& advice, const std::string& name, const ValueOf& value) {
  report::Series series{name, {}};
  for (const ScalePoint& point : advice.scale) {
    if (!point.best) continue;
    const Configuration& one = advice.configurations.at(*point.best);
    if (const auto number = value(one)) {
      series.points.push_back(
          {static_cast<double>(point.workers), *number, std::nullopt, !one.isPossible()});
    }
  }
  return series;
}

bool isWide(const report::LineChart& chart) {
  constexpr double kWide = 10;
  double low = chart.reference ? chart.reference->constant : chart.series[0].points[0].y;
  double high = low;
  for (const report::Series& series : chart.series) {
    for (const report::Point& point : series.points) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  return high > kWide * low;
}

void add(std::vector<report::Drawing>& drawings, report::LineChart chart) {
  std::erase_if(chart.series, [](const report::Series& series) { return series.points.empty(); });
  if (chart.series.empty()) return;
  // Over less than a power of ten a line from zero on says more.
  chart.is_logarithmic = chart.is_logarithmic && isWide(chart);
  const bool has_hollow = std::ranges::any_of(chart.series, [](const report::Series& series) {
    return std::ranges::any_of(series.points, &report::Point::is_hollow);
  });
  if (has_hollow) chart.note = "Hollow marks: not possible, see below why.";
  drawings.push_back(draw(chart));
}

std::vector<double> scaleSeconds(const Advice& advice) {
  std::vector<double> seconds;
  for (const ScalePoint& point : advice.scale)
    if (point.best) seconds.push_back(advice.configurations.at(*point.best).seconds);
  return seconds;
}

/// `mark` is what the configuration is beside others: "recommended: ".
report::Bar stepBar(const std::string& mark, const Configuration& one) {
  const StepTime& step = one.step;
  report::Bar bar{mark + choiceText(one.choice), durationText(step.seconds()), {}};
  for (const double seconds :
       {step.forward + step.backward, step.update, step.exchange, step.cores + step.other})
    bar.parts.push_back(kMilliseconds * seconds);
  return bar;
}

}  // namespace

std::vector<report::Drawing> scaleDrawings(const Advice& advice) {
  std::vector<report::Drawing> drawings;
  const std::vector<double> seconds = scaleSeconds(advice);
  if (seconds.empty()) return drawings;
  const TimeUnit unit = timeUnitOf(std::ranges::min(seconds));
  report::LineChart time{std::string("Time of the whole job, in ") + unit.name, "workers", {}};
  time.is_logarithmic = true;
  time.series.push_back(scaleSeries(
      advice, "time", [unit](const Configuration& each) { return each.seconds / unit.seconds; }));
  add(drawings, std::move(time));

  report::LineChart cost{"Cost of the whole job, in " + advice.currency, "workers", {}};
  cost.is_logarithmic = true;
  cost.series.push_back(
      scaleSeries(advice, "cost", [](const Configuration& each) { return each.cost; }));
  add(drawings, std::move(cost));

  constexpr double kPercent = 100;
  report::LineChart efficiency{"Efficiency, in percent of one worker", "workers", {}};
  efficiency.reference = report::Reference{"nothing lost", kPercent, 0};
  efficiency.series.push_back(
      scaleSeries(advice, "efficiency", [](const Configuration& each) -> std::optional<double> {
        if (!each.speedup) return std::nullopt;
        return kPercent * each.efficiency;
      }));
  add(drawings, std::move(efficiency));
  return drawings;
}

std::vector<report::Drawing> stepDrawings(const Advice& advice) {
  report::BarChart chart{
      "A step of these configurations",
      "milliseconds, predicted",
      {"gradients", "update", "exposed communication", "shared cores and the rest"},
      {}};
  std::set<std::optional<ExchangeMethod>> methods;
  if (advice.recommended) {
    const Configuration& one = advice.taken();
    chart.bars.push_back(stepBar("recommended: ", one));
    methods.insert(one.choice.method);
  }
  if (advice.as_written && advice.as_written != advice.recommended)
    chart.bars.push_back(stepBar("as written: ", advice.configurations.at(*advice.as_written)));
  for (std::size_t i = 0; i < advice.configurations.size(); ++i) {
    const Configuration& one = advice.configurations[i];
    // One worker exchanges nothing with others.
    if (one.choice.workers == 1 || !one.isPossible()) continue;
    if (methods.insert(one.choice.method).second && i != advice.as_written)
      chart.bars.push_back(stepBar("", one));
  }
  if (chart.bars.empty()) return {};
  return {draw(chart)};
}

}  // namespace sumac::planner
