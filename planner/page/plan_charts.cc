#include "planner/page/plan_charts.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/core/units.h"
#include "base/report/bar_chart.h"
#include "base/report/line_chart.h"
#include "base/report/numbers.h"
#include "planner/advice/texts.h"

namespace sumac::planner {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kMebi = 1024.0 * 1024;
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

using ValueOf = std::function<std::optional<double>(const Way&)>;

/// A line over the number of workers; no points where no way has the value.
report::Series scaleSeries(const Advice& advice, const std::string& name, const ValueOf& value) {
  report::Series series{name, {}};
  for (const ScalePoint& point : advice.scale) {
    if (!point.way) continue;
    const Way& way = advice.ways.at(*point.way);
    if (const auto number = value(way)) {
      series.points.push_back(
          {static_cast<double>(point.workers), *number, std::nullopt, !way.obstacles.empty()});
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
  if (has_hollow) chart.note = "Hollow marks: cannot be taken, see below why.";
  drawings.push_back(draw(chart));
}

std::vector<double> scaleSeconds(const Advice& advice) {
  std::vector<double> seconds;
  for (const ScalePoint& point : advice.scale)
    if (point.way) seconds.push_back(advice.ways.at(*point.way).seconds);
  return seconds;
}

report::LineChart memoryChart(const Advice& advice) {
  // What the limit is of: where members share a machine all of them have it together.
  const bool is_shared = std::ranges::any_of(
      advice.ways, [](const Way& way) { return way.memory.all_bytes.has_value(); });
  report::LineChart chart{
      is_shared ? "Memory of all members, in MiB" : "Memory of a member, in MiB", "workers", {}};
  chart.is_logarithmic = true;
  const auto addSeries = [&](const char* name, std::int64_t (*bytes_of)(const MemberMemory&)) {
    chart.series.push_back(
        scaleSeries(advice, name, [bytes_of](const Way& way) -> std::optional<double> {
          const auto bytes = static_cast<double>(bytes_of(way.memory));
          return bytes > 0 ? std::optional(bytes / kMebi) : std::nullopt;
        }));
  };
  if (is_shared) {
    addSeries("all members", [](const MemberMemory& memory) { return memory.needed(); });
  } else {
    addSeries("a worker", [](const MemberMemory& memory) { return memory.worker_bytes; });
    addSeries("a server", [](const MemberMemory& memory) { return memory.server_bytes; });
  }
  for (const ScalePoint& point : advice.scale) {
    if (!point.way) continue;
    if (const auto& limit = advice.ways.at(*point.way).memory.limit_bytes)
      chart.reference = report::Reference{"limit", static_cast<double>(*limit) / kMebi, 0};
  }
  return chart;
}

/// `mark` is what the way is beside others: "recommended: ".
report::Bar stepBar(const std::string& mark, const Way& way) {
  const StepTime& step = way.step;
  const std::string name = mark + counted(way.choice.workers, "worker") +
                           (hasNoExchange(way.choice) ? "" : ", " + exchangeText(way.choice));
  report::Bar bar{name, durationText(step.seconds()), {}};
  for (const double seconds :
       {step.forward + step.backward, step.update, step.exchange, step.cores + step.other})
    bar.parts.push_back(kMilliseconds * seconds);
  return bar;
}

}  // namespace

double stepShare(const StrategyAdvice& strategy) {
  const auto& estimate = strategy.assessment.estimate;
  const double total = estimate ? estimate->time.total() : 0;
  return total > 0 ? strategy.seconds_per_step / total : 0;
}

std::vector<report::Drawing> scaleDrawings(const Advice& advice) {
  std::vector<report::Drawing> drawings;
  const std::vector<double> seconds = scaleSeconds(advice);
  if (seconds.empty()) return drawings;
  const TimeUnit unit = timeUnitOf(std::ranges::min(seconds));
  report::LineChart time{std::string("Time of the whole job, in ") + unit.name, "workers", {}};
  time.is_logarithmic = true;
  time.series.push_back(
      scaleSeries(advice, "time", [unit](const Way& way) { return way.seconds / unit.seconds; }));
  add(drawings, std::move(time));

  report::LineChart cost{"Cost of the whole job, in " + advice.currency, "workers", {}};
  cost.is_logarithmic = true;
  cost.series.push_back(scaleSeries(advice, "cost", [](const Way& way) { return way.cost; }));
  add(drawings, std::move(cost));

  constexpr double kPercent = 100;
  report::LineChart efficiency{"Efficiency, in percent of one worker", "workers", {}};
  efficiency.reference = report::Reference{"nothing lost", kPercent, 0};
  efficiency.series.push_back(
      scaleSeries(advice, "efficiency", [](const Way& way) -> std::optional<double> {
        if (!way.speedup) return std::nullopt;
        return kPercent * way.efficiency;
      }));
  add(drawings, std::move(efficiency));
  add(drawings, memoryChart(advice));
  return drawings;
}

std::vector<report::Drawing> stepDrawings(const Advice& advice) {
  report::BarChart chart{
      "A step of these ways",
      "milliseconds, predicted",
      {"gradients", "update", "exchange, not hidden", "shared cores and the rest"},
      {}};
  std::set<std::optional<ExchangeMethod>> methods;
  if (advice.recommended) {
    const Way& way = advice.ways.at(*advice.recommended);
    chart.bars.push_back(stepBar("recommended: ", way));
    methods.insert(way.choice.method);
  }
  if (advice.as_written) {
    const Way& way = advice.ways.at(*advice.as_written);
    chart.bars.push_back(stepBar("as written: ", way));
  }
  for (const Way& way : advice.ways) {
    if (way.choice.workers == 1) continue;  // exchanges nothing with other workers
    if (!way.obstacles.empty() || !methods.insert(way.choice.method).second) continue;
    chart.bars.push_back(stepBar("", way));
  }
  if (chart.bars.empty()) return {};
  return {draw(chart)};
}

std::vector<report::Drawing> strategyDrawings(const Advice& advice) {
  report::BarChart chart{"A step by each strategy",
                         "milliseconds, by the oracle",
                         {"computing", "weight update", "gradient exchange", "other communication"},
                         {}};
  for (const StrategyAdvice& strategy : advice.strategies) {
    const auto& estimate = strategy.assessment.estimate;
    if (!estimate) continue;
    const EpochTime& time = estimate->time;
    const double milliseconds = kMilliseconds * stepShare(strategy);
    report::Bar bar{
        std::string(toString(strategy.assessment.strategy)),
        durationText(strategy.seconds_per_step),
        {time[Phase::kForwardBackward], time[Phase::kWeightUpdate], time[Phase::kGradientExchange],
         time.communication() - time[Phase::kGradientExchange]}};
    for (double& part : bar.parts)
      part = std::max(milliseconds * part, 0.0);
    bar.is_hollow = !strategy.assessment.isFeasible();
    chart.bars.push_back(std::move(bar));
  }
  if (chart.bars.empty()) return {};
  if (std::ranges::any_of(chart.bars, &report::Bar::is_hollow))
    chart.note = "Hollow bars: cannot be used, see below why.";
  return {draw(chart)};
}

}  // namespace sumac::planner
