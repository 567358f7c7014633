#include "experiment/simulate/simulate.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "base/core/check.h"
#include "exchange/plan/job_plan.h"
#include "planner/autoscaling/clairvoyant.h"
#include "planner/autoscaling/expected_steps.h"
#include "planner/autoscaling/policy_of.h"
#include "planner/autoscaling/useful_sizes.h"

#include "experiment/measure/schedule.h"
#include "experiment/simulate/step_times.h"

namespace sumac::experiment {
namespace {

using autoscaling::SimulatedEvent;
using autoscaling::SimulatedJob;

int vocabularyOf(const job::TrainingJob& job) {
  return job.data.generated ? job.data.generated->vocabulary : 0;
}

SimulatedEvent eventOf(const ScriptedEvent& scripted) {
  SimulatedEvent event{.at = scripted.seconds};
  switch (scripted.kind) {
    case ScriptedEvent::Kind::kRoom:
      event.kind = SimulatedEvent::Kind::kRoom;
      event.workers = scripted.workers;
      break;
    case ScriptedEvent::Kind::kSlow:
      event.kind = SimulatedEvent::Kind::kSlow;
      event.worker = scripted.worker;
      event.factor = scripted.factor;
      break;
    case ScriptedEvent::Kind::kKill:
      event.kind = SimulatedEvent::Kind::kKill;
      event.worker = scripted.worker;
      break;
  }
  return event;
}

/// The numbers of workers that a cell's job may want.
std::vector<int> wantedSizes(const Cell& cell) {
  const auto [least, most] = workersOf(cell);
  std::vector<int> sizes = autoscaling::usefulSizes(cell.job.training.logical_workers, least, most);
  if (!isSized(cell)) sizes.push_back(cell.job.worker.replicas);
  for (int size = least; cell.conditions.hpa && size <= most; ++size)
    sizes.push_back(size);
  return sizes;
}

/// Those of all cells of each group: what one of them may have, all are compared with.
std::vector<std::set<int>> sizesOfGroups(const std::vector<Cell>& cells,
                                         const std::vector<int>& groups) {
  std::vector<std::set<int>> sizes(cells.size());  // at most as many groups as cells
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto wanted = wantedSizes(cells[i]);
    sizes[static_cast<std::size_t>(groups[i])].insert(wanted.begin(), wanted.end());
  }
  return sizes;
}

/// And those that there is room for instead.
std::set<int> runningSizes(std::set<int> wanted, const Experiment& experiment) {
  const int most = *wanted.rbegin();
  for (const ScriptedEvent& event : experiment.events) {
    if (event.kind == ScriptedEvent::Kind::kRoom) wanted.insert(std::min(event.workers, most));
  }
  return wanted;
}

autoscaling::CpuRule cpuRuleOf(const HpaRule& hpa, int threads) {
  return {.target = hpa.target,
          .request = hpa.cpu_request > 0 ? hpa.cpu_request : threads,
          .threads = threads,
          .period_seconds = hpa.period_seconds,
          .tolerance = hpa.tolerance,
          .down_stabilization_seconds = hpa.down_stabilization_seconds};
}

/// Factors around 1, one for each window. The same for a seed on every machine.
std::function<double(std::int64_t window)> noiseOf(double most, std::uint64_t seed) {
  if (most <= 0) return {};
  return [most, seed](std::int64_t window) {
    // One number of the sequence SplitMix64, which needs none of those before.
    constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;
    std::uint64_t bits = seed * kStep ^ (static_cast<std::uint64_t>(window) + 1) * kStep;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    constexpr int kUnusedBits = 11;  // of 64, so that a double holds the rest
    constexpr double kScale = 0x1p-53;
    const double uniform = static_cast<double>((bits ^ (bits >> 31)) >> kUnusedBits) * kScale;
    return 1 + most * (2 * uniform - 1);
  };
}

/// One cell's job, for all of its runs.
class CellPlayer {
 public:
  CellPlayer(const Experiment& experiment, const Cell& cell, const Goals& goals,
             const ExchangePlan& plan, StepTimes times);

  /// Compared with these sizes.
  SimulatedCell play(const std::set<int>& sizes) const;

 private:
  autoscaling::Sizer sizer() const;
  SimulatedJob jobOfRun(int repetition) const;
  void compare(const std::set<int>& sizes, SimulatedCell& played) const;

  const Experiment& experiment_;
  const Cell& cell_;
  const Goals& goals_;
  const StepTimes times_;
  SimulatedJob job_;
};

CellPlayer::CellPlayer(const Experiment& experiment, const Cell& cell, const Goals& goals,
                       const ExchangePlan& plan, StepTimes times)
    : experiment_(experiment), cell_(cell), goals_(goals), times_(std::move(times)) {
  const auto [least, most] = workersOf(cell);
  const SimulationInputs& inputs = experiment.simulation;
  job_.parts = plan.parts;
  job_.servers = cell.job.server.replicas;
  job_.min_workers = least;
  job_.max_workers = most;
  job_.first_workers = isSized(cell) ? least : cell.job.worker.replicas;
  job_.steps =
      static_cast<double>(experiment.measurement.steps + experiment.measurement.warmup_steps);
  job_.change_seconds = inputs.change_seconds.value_or(cell.job.canChangeMembers()
                                                           ? autoscaling::kChangeInPlaceSeconds
                                                           : autoscaling::kChangeByRestartSeconds);
  job_.report_seconds = inputs.report_seconds;
  if (cell.job.autoscaling) {
    job_.stabilization_seconds = autoscaling::policyOf(*cell.job.autoscaling).stabilization_seconds;
  }
  job_.prices = goals.prices;
  job_.expected = autoscaling::expectedSteps(cell.job, plan, least, most);
  for (const ScriptedEvent& event : experiment.events)
    job_.events.push_back(eventOf(event));
  job_.step = [this](int workers) { return times_.by_workers.at(workers); };
  job_.late_step = [this](int workers, double slower) { return times_.lateStep(workers, slower); };
}

autoscaling::Sizer CellPlayer::sizer() const {
  if (cell_.job.autoscaling)
    return autoscaling::byPolicy(autoscaling::policyOf(*cell_.job.autoscaling));
  if (cell_.conditions.hpa)
    return autoscaling::byCpu(cpuRuleOf(*cell_.conditions.hpa, times_.threads));
  return autoscaling::fixedSize(cell_.job.worker.replicas);
}

SimulatedJob CellPlayer::jobOfRun(int repetition) const {
  SimulatedJob job = job_;
  job.noise = noiseOf(experiment_.simulation.noise,
                      experiment_.measurement.seed + static_cast<std::uint64_t>(repetition) - 1);
  return job;
}

/// With what each size does, and with who knows the events, in as many runs.
void CellPlayer::compare(const std::set<int>& sizes, SimulatedCell& played) const {
  const auto meanOf = [&](auto secondsOf) {
    double sum = 0;
    for (int run = 1; run <= std::ssize(played.runs); ++run)
      sum += secondsOf(jobOfRun(run));
    return sum / static_cast<double>(played.runs.size());
  };
  const std::vector<int> all(sizes.begin(), sizes.end());
  played.clairvoyant_seconds =
      meanOf([&](const SimulatedJob& job) { return autoscaling::clairvoyantSeconds(job, all); });
  played.best_fixed_seconds = std::numeric_limits<double>::infinity();
  for (const int size : all) {
    const double seconds = meanOf([size](SimulatedJob job) {
      job.first_workers = job.min_workers = job.max_workers = size;
      return autoscaling::simulate(job, autoscaling::fixedSize(size)).seconds;
    });
    if (seconds >= played.best_fixed_seconds) continue;
    played.best_fixed_seconds = seconds;
    played.best_fixed = size;
  }
}

SimulatedCell CellPlayer::play(const std::set<int>& sizes) const {
  SimulatedCell played;
  played.goals = goals_;
  played.profile = times_.profile;
  const Measurement& measurement = experiment_.measurement;
  const bool is_noisy = experiment_.simulation.noise > 0;
  Schedule schedule(1, is_noisy ? repetitionsOf(measurement) : Repetitions{}, measurement.seed);
  while (const auto next = schedule.next()) {
    played.runs.push_back(autoscaling::simulate(jobOfRun(next->repetition), sizer()));
    schedule.finished(*next, played.runs.back().seconds);
  }
  compare(sizes, played);
  return played;
}

SimulatedCell simulateCell(const Experiment& experiment, const Cell& cell, const Goals& goals,
                           const std::set<int>& sizes, const std::vector<JobProfile>& profiles) {
  SimulatedCell refused;
  refused.goals = goals;
  const auto plan = makeJobPlan(cell.job, vocabularyOf(cell.job));
  if (!plan) {
    refused.why_not = plan.error().message;
    return refused;
  }
  auto times = stepTimes(cell, runningSizes(sizes, experiment), profiles);
  if (!times) {
    refused.why_not = times.error().message;
    return refused;
  }
  return CellPlayer(experiment, cell, goals, plan->exchange, *std::move(times)).play(sizes);
}

}  // namespace

std::vector<SimulatedCell> simulateCells(const Experiment& experiment,
                                         const std::vector<Cell>& cells,
                                         const std::vector<JobProfile>& profiles) {
  const std::vector<int> groups = sizingGroups(experiment, cells);
  const std::vector<Goals> goals = goalsOf(cells, groups);
  const auto sizes = sizesOfGroups(cells, groups);
  std::vector<SimulatedCell> played;
  played.reserve(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& of_group = sizes[static_cast<std::size_t>(groups[i])];
    played.push_back(simulateCell(experiment, cells[i], goals[i], of_group, profiles));
  }
  return played;
}

}  // namespace sumac::experiment
