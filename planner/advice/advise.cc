#include "planner/advice/advise.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/core/units.h"
#include "planner/advice/advice_parts.h"
#include "planner/advice/answer.h"
#include "planner/advice/prepared_configurations.h"
#include "planner/checks/checks.h"

namespace sumac::planner {
namespace {

Result<void> checkQuestion(const AdviceQuestion& question) {
  constexpr double kMostMoney = 1e12;
  auto checked = checkPositive(
      "plan",
      {{"the steps of the job", question.steps, ""},
       {"the deadline", question.deadline_seconds.value_or(1), "s"},
       {"the budget", question.budget.value_or(1), ""},
       {"the most workers", static_cast<double>(question.most_workers), ""},
       {"the link's rate",
        question.link_bytes_per_second ? question.link_bytes_per_second->value : 1, "bytes/s"},
       {"the memory of a member", question.member_bytes ? question.member_bytes->value : 1,
        "bytes"},
       {"the memory limit of a worker", question.worker_bytes ? question.worker_bytes->value : 1,
        "bytes"}});
  if (!checked) return checked;
  if (question.budget.value_or(0) > kMostMoney)
    return Error{ErrorCode::kInvalid, "plan: the budget is " + digitsText(*question.budget) +
                                          "; give at most " + digitsText(kMostMoney)};
  const bool has_price = question.machine && question.machine->price_per_hour;
  if (!has_price && (question.budget || question.goal == PlanGoal::kCost))
    return Error{ErrorCode::kInvalid,
                 "plan: a cost is asked for, but no price is known; give one and its source"};
  return {};
}

Place placeOf(const AdviceQuestion& question) {
  const ProfileMachine& machine = question.profile.machine;
  return {.placement = question.place,
          .machine_type = question.machine ? question.machine->name : "",
          .host = machine.host,
          .cpu = machine.cpu,
          .cores = machine.cores};
}

/// Why no configuration with so many workers is predicted.
ScaleGap gapOf(const AdviceQuestion& question, int workers) {
  const job::TrainingSpec& training = question.job.training;
  if (workers > training.batch_size && !question.noise) return ScaleGap::kFewSamples;
  const double part = static_cast<double>(training.batch_size) /
                      static_cast<double>(std::max(workers, training.logical_workers));
  const bool is_larger = std::ranges::all_of(question.profile.batches, [part](const auto& batch) {
    return static_cast<double>(batch.samples) / batch.parts < part;
  });
  return is_larger ? ScaleGap::kLargeShares : ScaleGap::kSmallShares;
}

std::vector<ScalePoint> scaleOf(const std::vector<Configuration>& all,
                                const AdviceQuestion& question) {
  std::vector<ScalePoint> points;
  for (const int workers : workerCounts(question.most_workers, question.job.worker.replicas)) {
    if (workers < question.least_workers) continue;
    const auto found = std::ranges::find(
        all, workers, [](const Configuration& each) { return each.choice.workers; });
    ScalePoint point{.workers = workers};
    if (found == all.end()) {
      point.gap = gapOf(question, workers);
    } else {
      point.best = static_cast<std::size_t>(found - all.begin());
    }
    points.push_back(point);
  }
  return points;
}

std::optional<std::size_t> indexOf(const std::vector<Configuration>& all, const JobChoice& choice) {
  const auto found = std::ranges::find(all, choice, &Configuration::choice);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

}  // namespace

Result<Advice> advise(const AdviceQuestion& question) {
  if (const auto checked = checkQuestion(question); !checked) return checked.error();
  const auto steps = stepsWith(question, question.job.training.batch_size);
  if (!steps) return steps.error();
  auto prepared = prepareConfigurations(question);
  if (!prepared) return prepared.error();
  auto answer = answerUnder(question, *prepared, {});
  if (!answer) return answer.error();
  Advice advice;
  advice.job = question.job.name;
  advice.network = question.network.name;
  advice.place = placeOf(question);
  advice.goal = question.goal;
  if (question.machine && question.machine->price_per_hour) {
    advice.currency = question.machine->currency;
    advice.price_per_hour = question.machine->price_per_hour->value;
  }
  advice.limits = {.deadline_seconds = question.deadline_seconds,
                   .budget = question.budget,
                   .workers = question.most_workers,
                   .is_memory_given = question.member_bytes &&
                                      question.member_bytes->origin == FigureOrigin::kGiven};
  advice.job_steps = *steps;
  advice.job_batch = question.job.training.batch_size;
  advice.recommended = answer->recommended;
  if (const auto added = addConvolutions(question, advice); !added) return added.error();
  if (answer->recommended) {
    const Configuration& one = answer->configurations[*answer->recommended];
    if (const auto added = addStrategies(question, *prepared, one, advice); !added)
      return added.error();
    advice.sizing = sizingFor(question, *prepared, one);
    if (const auto added = addSensitivity(question, *prepared, *answer, advice); !added)
      return added.error();
  }
  advice.configurations = std::move(answer->configurations);
  advice.as_written = indexOf(advice.configurations, prepared->written);
  advice.scale = scaleOf(advice.configurations, question);
  advice.profiled_operations = profiledOperations(question);
  addFigures(question, *prepared, advice);
  if (advice.recommended) {
    addReasons(advice);
  } else {
    addObstruction(question, advice);
  }
  advice.unpredicted = std::move(prepared->unpredicted);
  addNotes(question, advice);
  return advice;
}

}  // namespace sumac::planner
