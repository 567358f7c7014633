#include "experiment/simulate/simulate.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "base/core/check.h"
#include "exchange/plan/job_plan.h"
#include "planner/autoscaling/expected_steps.h"
#include "planner/autoscaling/policy_of.h"
#include "planner/autoscaling/useful_sizes.h"

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

/// The numbers of workers that a job may come to have.
std::set<int> possibleSizes(const Cell& cell, const Experiment& experiment) {
  const auto [least, most] = workersOf(cell);
  const auto useful = autoscaling::usefulSizes(cell.job.training.logical_workers, least, most);
  std::set<int> sizes(useful.begin(), useful.end());
  sizes.insert(cell.job.worker.replicas);
  for (const ScriptedEvent& event : experiment.events) {
    if (event.kind == ScriptedEvent::Kind::kRoom) sizes.insert(std::min(event.workers, most));
  }
  if (!cell.conditions.hpa) return sizes;
  for (int size = least; size <= most; ++size)
    sizes.insert(size);
  return sizes;
}

autoscaling::CpuRule cpuRuleOf(const HpaRule& hpa, int threads) {
  return {.target = hpa.target,
          .request = hpa.cpu_request > 0 ? hpa.cpu_request : threads,
          .threads = threads,
          .period_seconds = hpa.period_seconds,
          .tolerance = hpa.tolerance,
          .down_stabilization_seconds = hpa.down_stabilization_seconds};
}

/// Factors around 1. The same for a seed on every machine.
std::function<double()> noiseOf(double most, std::uint64_t seed) {
  if (most <= 0) return {};
  return [most, random = std::make_shared<std::mt19937_64>(seed)] {
    constexpr int kUnusedBits = 11;  // of 64, so that a double holds the rest
    constexpr double kScale = 0x1p-53;
    const double uniform = static_cast<double>((*random)() >> kUnusedBits) * kScale;
    return 1 + most * (2 * uniform - 1);
  };
}

/// One cell's job, for all of its runs.
class CellPlayer {
 public:
  CellPlayer(const Experiment& experiment, const Cell& cell, const Goals& goals,
             const ExchangePlan& plan, StepTimes times);

  SimulatedCell play() const;

 private:
  autoscaling::Sizer sizer() const;
  void compare(SimulatedCell& played) const;

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
  job_.servers = cell.job.strategy.hasServers() ? cell.job.server.replicas : 0;
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
}

autoscaling::Sizer CellPlayer::sizer() const {
  if (cell_.job.autoscaling)
    return autoscaling::byPolicy(autoscaling::policyOf(*cell_.job.autoscaling));
  if (cell_.conditions.hpa)
    return autoscaling::byCpu(cpuRuleOf(*cell_.conditions.hpa, times_.threads));
  return autoscaling::fixedSize(cell_.job.worker.replicas);
}

/// With what each useful size does, and with who knows the events.
void CellPlayer::compare(SimulatedCell& played) const {
  SimulatedJob job = job_;
  played.clairvoyant_seconds = autoscaling::clairvoyantSeconds(job);
  played.best_fixed_seconds = std::numeric_limits<double>::infinity();
  for (const int size : autoscaling::usefulSizes(job.parts, job.min_workers, job.max_workers)) {
    job.first_workers = size;
    const double seconds = autoscaling::simulate(job, autoscaling::fixedSize(size)).seconds;
    if (seconds >= played.best_fixed_seconds) continue;
    played.best_fixed_seconds = seconds;
    played.best_fixed = size;
  }
}

SimulatedCell CellPlayer::play() const {
  SimulatedCell played;
  played.goals = goals_;
  const double noise = experiment_.simulation.noise;
  const int repetitions = noise > 0 ? experiment_.measurement.repetitions : 1;
  for (int run = 0; run < repetitions; ++run) {
    SimulatedJob job = job_;
    job.noise = noiseOf(noise, experiment_.measurement.seed + static_cast<std::uint64_t>(run));
    played.runs.push_back(autoscaling::simulate(job, sizer()));
  }
  compare(played);
  return played;
}

SimulatedCell simulateCell(const Experiment& experiment, const Cell& cell, const Goals& goals,
                           const std::vector<JobProfile>& profiles) {
  SimulatedCell refused;
  refused.goals = goals;
  const auto plan = makeJobPlan(cell.job, vocabularyOf(cell.job));
  if (!plan) {
    refused.why_not = plan.error().message;
    return refused;
  }
  auto times = stepTimes(cell, possibleSizes(cell, experiment), profiles);
  if (!times) {
    refused.why_not = times.error().message;
    return refused;
  }
  return CellPlayer(experiment, cell, goals, plan->exchange, *std::move(times)).play();
}

}  // namespace

std::vector<SimulatedCell> simulateCells(const Experiment& experiment,
                                         const std::vector<Cell>& cells,
                                         const std::vector<JobProfile>& profiles) {
  const std::vector<Goals> goals = goalsOf(cells, sizingGroups(experiment, cells));
  std::vector<SimulatedCell> played;
  played.reserve(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    played.push_back(simulateCell(experiment, cells[i], goals[i], profiles));
  return played;
}

}  // namespace sumac::experiment
