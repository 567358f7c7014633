#pragma once

#include <algorithm>
#include <string>

#include "planner/advice/advice.h"
#include "planner/report/plan_report.h"

namespace sumac::planner {

// Advice with synthetic figures, for the page that shows it.

inline PlanOrigin sampleOrigin() {
  return {"1.2.3", "sumac plan job.yaml --profile lenet5.json --machine lab-4 --goal cost"};
}

/// A configuration whose time is made up of computing, which workers divide, and an exchange, which
/// they make longer.
inline Configuration syntheticConfiguration(const JobChoice& choice) {
  constexpr std::int64_t kSamples = 500'000;
  constexpr double kSampleSeconds = 0.012;
  constexpr double kPricePerHour = 0.12;
  constexpr double kHour = 3'600;
  constexpr double kDeadline = 900;
  const double workers = choice.workers;
  const double exchange =
      choice.servers > 0 ? 0.012 * workers / choice.servers : 0.02 + 0.001 * workers;
  Configuration one;
  one.choice = choice;
  one.steps = kSamples / choice.batch;
  one.step.forward = kSampleSeconds / 3 * static_cast<double>(choice.batch) / workers;
  one.step.backward = 2 * one.step.forward;
  one.step.update = 0.0005;
  one.step.exchange = workers > 1 || choice.servers > 0 ? exchange : 0;
  one.step.other = 0.0002;
  one.step.bound = exchange > one.step.backward ? Bound::kExchange : Bound::kCompute;
  one.seconds = static_cast<double>(one.steps) * one.step.seconds();
  one.cost = one.seconds / kHour * kPricePerHour * choice.members();
  one.samples_per_second = static_cast<double>(choice.batch) / one.step.seconds();
  one.speedup = kSamples * kSampleSeconds / one.seconds;
  one.efficiency = *one.speedup / workers;
  one.memory = {40'000'000 + 300'000 * choice.batch / choice.workers,
                choice.servers > 0 ? 20'000'000 + std::int64_t{4'000'000} * choice.workers : 0,
                4'294'967'296};
  if (one.memory.needed() > *one.memory.limit_bytes)
    one.obstacles.push_back({PlanLimit::kMemory, static_cast<double>(one.memory.needed()),
                             static_cast<double>(*one.memory.limit_bytes)});
  if (one.seconds > kDeadline)
    one.obstacles.push_back({PlanLimit::kDeadline, one.seconds, kDeadline});
  return one;
}

inline Assessment assessment(Strategy strategy, double compute, double gradients,
                             double collectives) {
  Assessment one;
  one.strategy = strategy;
  one.grid = strategy == Strategy::kDataFilter ? Grid{4, 2} : Grid{8, 1};
  Estimate estimate;
  estimate.time[Phase::kForwardBackward] = compute;
  estimate.time[Phase::kWeightUpdate] = 0.0004;
  estimate.time[Phase::kGradientExchange] = gradients;
  estimate.time[Phase::kLayerCollectives] = collectives;
  estimate.memory_bytes = 250e6;
  one.estimate = estimate;
  one.findings = {{FindingKind::kGradientExchange, 0.21}, {FindingKind::kFewFilters}};
  return one;
}

inline void addStrategies(Advice& advice) {
  advice.strategies.push_back(assessment(Strategy::kData, 0.014, 0.003, 0));
  advice.strategies.push_back(assessment(Strategy::kFilter, 0.015, 0, 0.009));
  advice.strategies.push_back(assessment(Strategy::kDataFilter, 0.014, 0.002, 0.005));
  Assessment spatial;
  spatial.strategy = Strategy::kSpatial;
  spatial.grid = {1, 8};
  spatial.refusal =
      Refusal{Obstacle::kMembers, 8, {4, {{PartKind::kPositions, 4, "conv2"}}}, Strategy::kSpatial};
  advice.strategies.push_back(spatial);
  advice.strategies_basis = {.has_layers = true,
                             .seconds_of_one = 1.2,
                             .all_reduce = advice.configurations[0].choice,
                             .exposed_seconds = 0.11,
                             .hidden_seconds = 0.1};
}

inline void addFigures(Advice& advice) {
  advice.figures = {
      {FigureName::kBatchSizes,
       {5, FigureOrigin::kMeasured, "sumac profile on lab-1, AMD EPYC, avx512", "2026-11-22"}},
      {FigureName::kLink, {125e6, FigureOrigin::kGiven, "--link", ""}},
      {FigureName::kMachineLink,
       {1.25e9, FigureOrigin::kPublished, "a fake data sheet for this page", "2026-11-01"},
       false},
      {FigureName::kPrice,
       {0.12, FigureOrigin::kPublished, "a fake price list for this page", "2026-11-01"}},
      {FigureName::kNoiseScale, {1'500, FigureOrigin::kMeasured, "a run's result.json", ""}}};
}

inline void addScale(Advice& advice) {
  for (const int workers : workerCounts(1'024)) {
    ScalePoint point{.workers = workers};
    for (std::size_t i = 0; i < advice.configurations.size() && !point.best; ++i)
      if (advice.configurations[i].choice.workers == workers) point.best = i;
    if (!point.best) point.gap = ScaleGap::kFewSamples;
    advice.scale.push_back(point);
  }
}

/// A thousand configurations up to 1,024 workers, with everything that advice can have.
inline Advice largePlan() {
  Advice advice;
  advice.job = "lenet5-fashion";
  advice.network = "lenet5, 61,706 parameters";
  advice.place = {.machine_type = "lab-4", .host = "lab-1", .cpu = "AMD EPYC", .cores = 4};
  advice.goal = PlanGoal::kCost;
  advice.limits = {.deadline_seconds = 900, .workers = 1'024};
  advice.currency = "EUR";
  advice.job_batch = 128;
  advice.job_steps = 3'906;
  for (const JobChoice& choice : candidates({{128, 256, 512, 1'024}, 1'024, 8}))
    advice.configurations.push_back(syntheticConfiguration(choice));
  std::ranges::stable_sort(advice.configurations, {}, [](const Configuration& each) {
    return std::pair(!each.isPossible(), each.cost.value_or(0));
  });
  advice.recommended = 0;
  const auto written = std::ranges::find_if(
      advice.configurations, [](const Configuration& each) { return each.choice.servers == 4; });
  advice.as_written = static_cast<std::size_t>(written - advice.configurations.begin());
  advice.reasons = {{ReasonKind::kStep},
                    {ReasonKind::kNextIsWorse, 1},
                    {ReasonKind::kAsWritten, advice.as_written}};
  addScale(advice);
  addStrategies(advice);
  advice.sizing = {.memory_bytes = 4'294'967'296,
                   .largest_batch = 13'000,
                   .has_exchange = true,
                   .servers = 2,
                   .pass_seconds = 0.085,
                   .link_bytes_per_second = 125e6,
                   .workers = 8,
                   .speedup = 5.6,
                   .overhead_ratio = 0.07};
  advice.changes = {{.trial = {Condition::kLinksHalf},
                     .choice = advice.configurations[3].choice,
                     .seconds = 2'400,
                     .behind = 0.12}};
  advice.unchanged = {{Condition::kLinksTwice}, {Condition::kComputeTwice}};
  advice.notes = {{NoteKind::kComputingAsProfiled}, {NoteKind::kLoopbackLatency}};
  addFigures(advice);
  advice.unpredicted = {
      {.share = {2048, 1, 4}, .candidates = 312, .example = advice.configurations[0].choice}};
  return advice;
}

/// Texts that mean something in HTML, very long ones, numbers at the ends of their ranges.
inline Advice hostilePlan() {
  const std::string script = "<script>alert(\"x\")</script>";
  Advice advice = largePlan();
  advice.job = script + " & 'more'";
  advice.network = std::string(200, 'n');
  advice.place = {.machine_type = script, .host = script, .cpu = script, .cores = 4};
  advice.currency = "<b>";
  advice.configurations.resize(3);
  advice.configurations[1].obstacles = {{PlanLimit::kDeadline, 1e300, 900},
                                        {PlanLimit::kBudget, 9, 1e-9}};
  advice.configurations[2].seconds = 1e300;
  advice.configurations[2].cost = 0;
  advice.configurations[2].speedup.reset();
  advice.configurations[2].step.forward = 1e-300;
  advice.as_written = 2;
  advice.scale = {{.workers = 1, .best = 0},
                  {.workers = 2, .best = 1},
                  {.workers = 1'024, .best = 2},
                  {.workers = 3, .gap = ScaleGap::kLargeShares}};
  advice.reasons = {{ReasonKind::kStep}, {ReasonKind::kNextIsWorse, 2}};
  advice.strategies[3].refusal->limit.parts[0].layer = script;
  advice.strategies[0].findings = {
      {.kind = FindingKind::kMemberLimit,
       .limit = {8, {{PartKind::kFilters, 8, script + std::string(200, 'f')}}}}};
  advice.notes.push_back({.kind = NoteKind::kDisturbed, .text = script + "\xff"});
  advice.figures[0].figure = {1e300, FigureOrigin::kGiven, std::string(300, 's'), script};
  return advice;
}

/// Nothing can be taken, and next to nothing is known.
inline Advice noPlan() {
  Advice advice;
  advice.job = "too-large";
  Configuration one;
  one.memory = {9'800'000'000, 0, 8'589'934'592};
  one.obstacles = {{PlanLimit::kMemory, 9.8e9, 8'589'934'592}};
  advice.configurations = {one};
  advice.obstruction.emplace().enough = {{.memory_bytes = 9'800'000'000}};
  return advice;
}

}  // namespace sumac::planner
