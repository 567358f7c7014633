#pragma once

#include <algorithm>
#include <string>

#include "planner/advice/advice.h"
#include "planner/advice/texts.h"
#include "planner/page/plan_page.h"

namespace sumac::planner {

// Advice with synthetic figures, for the page that shows it.

inline PlanOrigin sampleOrigin() {
  return {"1.2.3", "sumac plan job.yaml --profile lenet5.json --machine lab-4 --goal cost"};
}

/// A way whose time is made up of computing, which workers divide, and an exchange, which they make
/// longer.
inline Way syntheticWay(const JobChoice& choice) {
  constexpr std::int64_t kSamples = 500'000;
  constexpr double kSampleSeconds = 0.012;
  constexpr double kPricePerHour = 0.12;
  constexpr double kHour = 3'600;
  constexpr double kDeadline = 900;
  const double workers = choice.workers;
  const double exchange =
      choice.servers > 0 ? 0.012 * workers / choice.servers : 0.02 + 0.001 * workers;
  Way way;
  way.choice = choice;
  way.steps = kSamples / choice.batch;
  way.step.forward = kSampleSeconds / 3 * static_cast<double>(choice.batch) / workers;
  way.step.backward = 2 * way.step.forward;
  way.step.update = 0.0005;
  way.step.exchange = workers > 1 || choice.servers > 0 ? exchange : 0;
  way.step.other = 0.0002;
  way.step.bound = exchange > way.step.backward ? Bound::kExchange : Bound::kCompute;
  way.seconds = static_cast<double>(way.steps) * way.step.seconds();
  way.cost = way.seconds / kHour * kPricePerHour * choice.members();
  way.samples_per_second = static_cast<double>(choice.batch) / way.step.seconds();
  way.speedup = kSamples * kSampleSeconds / way.seconds;
  way.efficiency = *way.speedup / workers;
  way.memory = {40'000'000 + 300'000 * choice.batch / choice.workers,
                choice.servers > 0 ? 20'000'000 + std::int64_t{4'000'000} * choice.workers : 0,
                4'294'967'296};
  if (way.memory.needed() > *way.memory.limit_bytes)
    way.obstacles.emplace_back("a server needs 4.1 GiB of memory, its machine has 4.0 GiB");
  if (way.seconds > kDeadline) {
    way.obstacles.push_back("takes " + durationText(way.seconds) + ", the deadline is 15 min: " +
                            durationText(way.seconds - kDeadline) + " too long");
  }
  return way;
}

inline Assessment assessment(Strategy strategy, double compute, double gradients,
                             double collectives) {
  Assessment one;
  one.strategy = strategy;
  one.grid = strategy == Strategy::kDataFilter ? Grid{4, 2} : Grid{8, 1};
  Estimate estimate;
  estimate.time[Phase::kForwardBackward] = compute;
  estimate.time[Phase::kWeightUpdate] = 0.4;
  estimate.time[Phase::kGradientExchange] = gradients;
  estimate.time[Phase::kLayerCollectives] = collectives;
  estimate.memory_bytes = 250e6;
  one.estimate = estimate;
  one.findings.push_back({Category::kCommunication, Origin::kLimitation, true,
                          "the gradient exchange takes 21 % of the time"});
  one.findings.push_back({Category::kScaling, Origin::kBottleneck, false,
                          "several streams share the cores that send and receive"});
  return one;
}

inline void addStrategies(Advice& advice) {
  advice.strategies.push_back({assessment(Strategy::kData, 14, 3, 0), 0.11, ""});
  advice.strategies.push_back({assessment(Strategy::kFilter, 15, 0, 9), 0.16,
                               "45 % slower than data; not available in this version"});
  advice.strategies.push_back({assessment(Strategy::kDataFilter, 14, 2, 5), 0.14,
                               "27 % slower than data; not available in this version"});
  Assessment spatial;
  spatial.strategy = Strategy::kSpatial;
  spatial.grid = {1, 8};
  spatial.refusal = Refusal{Obstacle::kLimit,
                            "8 members divide pictures of 2 x 2 at most into 4: use 4 or fewer"};
  advice.strategies.push_back({spatial, 0, ""});
}

inline void addFigures(Advice& advice) {
  advice.figures = {
      {"forward and backward pass", "12.0 ms a sample", FigureOrigin::kMeasured,
       "sumac profile on lab-1, AMD EPYC, avx512", "2026-11-22"},
      {"link of each member", "1 Gbit/s", FigureOrigin::kGiven, "--link", ""},
      {"memory of a machine", "4.0 GiB", FigureOrigin::kMeasured, "/proc/meminfo", "2026-11-22"},
      {"price of a machine", "0.12 EUR an hour", FigureOrigin::kPublished,
       "a fake price list for this page", "2026-11-01"},
      {"steps to the same loss", "3,906 of 128 samples", FigureOrigin::kComputed,
       "the gradient noise scale", ""}};
}

inline void addScale(Advice& advice) {
  for (const int workers : workerCounts(1'024)) {
    ScalePoint point{workers, std::nullopt, ""};
    for (std::size_t i = 0; i < advice.ways.size() && !point.way; ++i)
      if (advice.ways[i].choice.workers == workers) point.way = i;
    if (!point.way) {
      point.why_not = "no mini-batch has so many samples";
    } else if (const auto& obstacles = advice.ways[*point.way].obstacles; !obstacles.empty()) {
      point.why_not = obstacles.front();
    }
    advice.scale.push_back(point);
  }
}

/// A thousand ways up to 1,024 workers, with everything that advice can have.
inline Advice largePlan() {
  Advice advice;
  advice.job = "lenet5-fashion";
  advice.network = "lenet5, 61,706 parameters";
  advice.place = "one member a machine of type lab-4";
  advice.goal = PlanGoal::kCost;
  advice.limits = {"deadline 15 min", "at most 1,024 workers"};
  advice.currency = "EUR";
  advice.job_batch = 128;
  advice.job_steps = 3'906;
  for (const JobChoice& choice : candidates({{128, 256, 512, 1'024}, 1'024, 8}))
    advice.ways.push_back(syntheticWay(choice));
  std::ranges::stable_sort(advice.ways, {}, [](const Way& way) {
    return std::pair(!way.obstacles.empty(), way.cost.value_or(0));
  });
  advice.recommended = 0;
  const auto written =
      std::ranges::find_if(advice.ways, [](const Way& way) { return way.choice.servers == 4; });
  advice.as_written = static_cast<std::size_t>(written - advice.ways.begin());
  advice.reasons = {
      "Nothing cheaper ends within the deadline of 15 min: fewer workers take longer.",
      "With more workers the exchange costs more than they save."};
  addScale(advice);
  addStrategies(advice);
  advice.sizing = {
      13'000, "13,000 samples of 300 KB each fit beside 40 MB of parameters in 4.0 GiB",
      2,      "2 servers hide the exchange of 0.25 MB behind 85 ms of computing",
      0.07,   "With an overhead of 7 % no number of workers is more than 15 times as fast"};
  advice.changes = {{"links at half their rate", advice.ways[3].choice, 2'400, 0.12,
                     "With links at half their rate fewer workers are cheaper."}};
  advice.unchanged = {"links at twice their rate", "computing 10 % slower"};
  advice.notes = {"The profile was measured on another machine than the one that is planned for."};
  addFigures(advice);
  advice.unpredicted = {
      {"the profile has no mini-batch of more than 1,024 samples a worker: "
       "measure one with `sumac profile --batch-sizes 2048`",
       312, advice.ways[0].choice}};
  return advice;
}

/// Texts that mean something in HTML, very long ones, numbers at the ends of their ranges.
inline Advice hostilePlan() {
  const std::string script = "<script>alert(\"x\")</script>";
  Advice advice = largePlan();
  advice.job = script + " & 'more'";
  advice.network = std::string(200, 'n');
  advice.place = script;
  advice.limits = {script};
  advice.currency = "<b>";
  advice.ways.resize(3);
  advice.ways[1].obstacles = {script, std::string(300, 'w')};
  advice.ways[2].seconds = 1e300;
  advice.ways[2].cost = 0;
  advice.ways[2].speedup.reset();
  advice.ways[2].step.forward = 1e-300;
  advice.as_written = 2;
  advice.scale = {{1, 0, ""}, {2, 1, script}, {1'024, 2, ""}, {3, std::nullopt, "\xff"}};
  advice.reasons = {script, std::string(400, 'r')};
  advice.strategies[3].why_not = script;
  advice.strategies[0].assessment.findings[0].text = script + std::string(200, 'f');
  advice.sizing.servers_text = script;
  advice.changes[0].what = script;
  advice.unchanged = {script};
  advice.notes = {script};
  advice.figures[0] = {script, script, FigureOrigin::kGiven, std::string(300, 's'), script};
  advice.unpredicted[0].reason = script;
  return advice;
}

/// Nothing can be taken, and next to nothing is known.
inline Advice noPlan() {
  Advice advice;
  advice.job = "too-large";
  advice.no_plan =
      "No way fits: a worker needs 9.1 GiB, its machine has 8.0 GiB. A mini-batch of 96 instead of "
      "128 samples would fit.";
  return advice;
}

}  // namespace sumac::planner
