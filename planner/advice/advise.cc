#include "planner/advice/advise.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/core/units.h"
#include "planner/advice/advice_parts.h"
#include "planner/advice/answer.h"
#include "planner/advice/explanation.h"
#include "planner/advice/figures.h"
#include "planner/advice/prepared_ways.h"
#include "planner/advice/texts.h"
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
        "bytes"}});
  if (!checked) return checked;
  if (question.budget.value_or(0) > kMostMoney)
    return Error{ErrorCode::kInvalid, "plan: the budget is " + digitsText(*question.budget) +
                                          "; give at most " + digitsText(kMostMoney)};
  return {};
}

std::string placeText(const AdviceQuestion& question) {
  const ProfileMachine& machine = question.profile.machine;
  if (question.place == Placement::kHere)
    return "all members on " + machine.host + ", sharing its " + counted(machine.cores, "core");
  if (question.machine) return "one member a machine of type " + question.machine->name;
  return "one member a machine like " + machine.host + " (" + machine.cpu + ", " +
         counted(machine.cores, "core") + ")";
}

std::vector<std::string> limitsOf(const AdviceQuestion& question, const std::string& currency) {
  std::vector<std::string> limits;
  if (question.deadline_seconds)
    limits.push_back("deadline " + durationText(*question.deadline_seconds));
  if (question.budget) limits.push_back("budget " + givenMoneyText(*question.budget, currency));
  limits.push_back("at most " + counted(question.most_workers, "worker"));
  return limits;
}

/// Which way the parts of so many workers lie beyond the profile's.
std::string beyondText(const AdviceQuestion& question, int workers) {
  const job::TrainingSpec& training = question.job.training;
  const double part = static_cast<double>(training.batch_size) /
                      static_cast<double>(std::max(workers, training.logical_workers));
  const bool is_larger = std::ranges::all_of(question.profile.batches, [part](const auto& batch) {
    return static_cast<double>(batch.samples) / batch.parts < part;
  });
  return std::string("the profile does not reach so ") + (is_larger ? "large" : "small") +
         " a share of the mini-batch";
}

std::vector<ScalePoint> scaleOf(const std::vector<Way>& ways, const AdviceQuestion& question) {
  std::vector<ScalePoint> points;
  for (const int workers : workerCounts(question.most_workers)) {
    ScalePoint point;
    point.workers = workers;
    const auto found =
        std::ranges::find(ways, workers, [](const Way& way) { return way.choice.workers; });
    if (found != ways.end()) {
      point.way = static_cast<std::size_t>(found - ways.begin());
      if (!found->obstacles.empty()) point.why_not = found->obstacles.front();
    } else if (workers > question.job.training.batch_size && !question.noise) {
      point.why_not = "more workers than the mini-batch of " +
                      std::to_string(question.job.training.batch_size) + " has samples";
    } else {
      point.why_not = beyondText(question, workers);
    }
    points.push_back(std::move(point));
  }
  return points;
}

std::optional<std::size_t> indexOf(const std::vector<Way>& ways, const JobChoice& choice) {
  const auto found = std::ranges::find(ways, choice, &Way::choice);
  if (found == ways.end()) return std::nullopt;
  return static_cast<std::size_t>(found - ways.begin());
}

}  // namespace

Result<Advice> advise(const AdviceQuestion& question) {
  if (const auto checked = checkQuestion(question); !checked) return checked.error();
  const auto steps = stepsWith(question, question.job.training.batch_size);
  if (!steps) return steps.error();
  auto prepared = prepareWays(question);
  if (!prepared) return prepared.error();
  auto answer = answerUnder(question, *prepared, {});
  if (!answer) return answer.error();
  Advice advice;
  advice.job = question.job.name;
  advice.network = question.network.name;
  advice.place = placeText(question);
  advice.goal = question.goal;
  if (question.machine && question.machine->price_per_hour) {
    advice.currency = question.machine->currency;
    advice.price_per_hour = question.machine->price_per_hour->value;
  }
  advice.limits = limitsOf(question, advice.currency);
  advice.job_steps = *steps;
  advice.job_batch = question.job.training.batch_size;
  advice.recommended = answer->recommended;
  if (const auto added = addConvolutions(question, advice); !added) return added.error();
  if (answer->recommended) {
    const Way& way = answer->ways[*answer->recommended];
    advice.threads = way.threads;
    if (const auto added = addStrategies(question, *prepared, way, advice); !added)
      return added.error();
    advice.sizing = sizingFor(question, *prepared, way);
    if (const auto added = addSensitivity(question, *prepared, *answer, advice); !added)
      return added.error();
  }
  advice.ways = std::move(answer->ways);
  advice.as_written = indexOf(advice.ways, choiceOf(question.job));
  advice.scale = scaleOf(advice.ways, question);
  addFigures(question, *prepared, advice);
  if (advice.recommended) {
    addReasons(question, advice);
  } else {
    addObstruction(question, advice);
  }
  addNotes(question, advice);
  advice.unpredicted = std::move(prepared->unpredicted);
  return advice;
}

}  // namespace sumac::planner
