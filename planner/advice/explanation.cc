#include "planner/advice/explanation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/core/units.h"
#include "job/profile/disturbance.h"
#include "planner/advice/answer.h"
#include "planner/advice/figures.h"
#include "planner/advice/prepared_ways.h"
#include "planner/advice/texts.h"

namespace sumac::planner {
namespace {

/// The best way that can be taken and is another number of machines or another exchange.
const Way* runnerUp(const Advice& advice) {
  const JobChoice& taken = advice.ways[*advice.recommended].choice;
  for (const Way& way : advice.ways) {
    if (!way.obstacles.empty()) return nullptr;
    if (way.choice != taken) return &way;
  }
  return nullptr;
}

std::string boundText(const Way& way) {
  const StepTime& step = way.step;
  std::string text = "A step takes " + durationText(step.seconds()) + ": forward " +
                     durationText(step.forward) + ", backward " + durationText(step.backward) +
                     ", exchange not hidden " + durationText(step.exchange) + ", update " +
                     durationText(step.update);
  if (step.other > 0) text += ", other " + durationText(step.other);
  if (step.cores > 0) text += ", waiting for shared cores " + durationText(step.cores);
  return text + "; " + mostText(step) + " takes most.";
}

/// "within 5.0 %, ..."
std::string equalText(const Way& best, const Way& taken) {
  const double equal = indifference(best, taken);
  const std::string within = ": within " + percentText(equal) + ", which ";
  const bool is_known_well = equal < std::numbers::sqrt2 * modelError().value;
  if (is_known_well) return within + "the model cannot tell apart";
  return within +
         "is the margin: the profile cannot tell these apart; measure it again while nothing else "
         "runs to know more";
}

std::string worseText(const Way& next, const Way& taken, PlanGoal goal) {
  constexpr double kVisible = 5e-4;  // a percentage has one decimal
  const double worse = weightOf(next, goal) / weightOf(taken, goal) - 1;
  if (worse >= 1) return digitsText(1 + worse) + " times as much";
  return worse < kVisible ? "as good" : percentText(worse) + " worse";
}

/// What the goal weighs, with its unit.
std::string weightText(const Way& way, PlanGoal goal, const std::string& currency) {
  switch (goal) {
    case PlanGoal::kTime: return durationText(way.seconds);
    case PlanGoal::kCost: return moneyText(way.cost.value_or(0), currency);
    case PlanGoal::kEfficiency: return "an efficiency of " + percentText(way.efficiency);
  }
  return {};
}

/// Why a way that is as good as the best is taken instead: "with fewer members and without
/// rounding".
std::string simplerText(const JobChoice& best, const JobChoice& taken) {
  std::string text;
  if (taken.members() < best.members()) text = " with fewer members";
  if (taken.codec == Codec::kFp32 && best.codec != Codec::kFp32)
    text += (text.empty() ? " without" : " and without") + std::string(" rounding");
  return text;
}

/// A limit that the recommended way keeps as predicted, and misses at the end of its margin.
struct TightLimit {
  std::string name;
  double most = 0;
  double (*of)(const Way& way);
  std::string (*text)(double amount, const std::string& currency);

  double upTo(const Way& way) const { return of(way) * (1 + way.margin); }
};

/// What may miss the limit, and the best way that keeps it at the end of its margin, too.
void addRisk(const TightLimit& limit, Advice& advice) {
  const Way& taken = advice.ways[*advice.recommended];
  const auto text = [&](const Way& way) { return limit.text(limit.upTo(way), advice.currency); };
  if (limit.upTo(taken) <= limit.most) return;
  const auto keeps = [&](const Way& way) {
    return way.obstacles.empty() && limit.upTo(way) <= limit.most;
  };
  const auto safe = std::ranges::find_if(advice.ways, keeps);
  advice.reasons.push_back(
      "It may miss the " + limit.name + ": with its margin it takes up to " + text(taken) + ". " +
      (safe == advice.ways.end() ? "No way keeps the " + limit.name + " with its margin."
                                 : "The best way that keeps it with its margin: " +
                                       toString(safe->choice) + ", up to " + text(*safe) + "."));
}

void addRisks(const AdviceQuestion& question, Advice& advice) {
  if (question.deadline_seconds)
    addRisk({"deadline", *question.deadline_seconds, [](const Way& way) { return way.seconds; },
             [](double seconds, const std::string&) { return durationText(seconds); }},
            advice);
  if (question.budget)
    addRisk(
        {"budget", *question.budget, [](const Way& way) { return way.cost.value_or(0); },
         [](double amount, const std::string& currency) { return moneyText(amount, currency); }},
        advice);
}

void noteDisturbance(const AdviceQuestion& question, Advice& advice) {
  const std::string text = disturbanceText(question.profile);
  if (!text.empty()) advice.notes.push_back("The profile was disturbed, at " + text + ".");
  const std::string idle = idleThreadsText(question.profile);
  if (!idle.empty()) advice.notes.push_back("By the profile " + idle + ".");
}

void noteThreads(const AdviceQuestion& question, Advice& advice) {
  const Way& taken = advice.ways[*advice.recommended];
  const int by_itself = threadsByItself(question, taken.choice);
  if (taken.threads == by_itself) return;
  const std::string threads = std::to_string(taken.threads);
  advice.notes.push_back("By the profile a worker is faster with " +
                         counted(taken.threads, "thread") + " than with the " +
                         std::to_string(by_itself) +
                         " that it would take by itself: set training.threads: " + threads + ".");
}

/// Cores that are paid for and compute nothing.
void noteIdleCores(const AdviceQuestion& question, Advice& advice) {
  if (question.place != Placement::kMachines) return;
  const double cores = coresOfMachine(question);
  const int threads = advice.ways[*advice.recommended].threads;
  if (threads >= cores) return;
  const bool has_more = std::ranges::any_of(
      question.profile.batches, [&](const BatchProfile& batch) { return batch.threads > threads; });
  advice.notes.push_back("A worker computes with " + counted(threads, "thread") +
                         " on a machine of " + digitsText(cores) + " cores" +
                         (question.machine && question.machine->price_per_hour
                              ? ", and the price is of all of them"
                              : "") +
                         (has_more ? ": take smaller machines."
                                   : ": profile with more --threads, or take smaller "
                                     "machines."));
}

/// The job's own limits.cpu beside what was profiled.
void noteLimit(const AdviceQuestion& question, Advice& advice) {
  if (!question.worker_cores || question.place != Placement::kMachines) return;
  if (question.job.training.threads > 0) return;
  const double limit = *question.worker_cores;
  const std::string has = "The job's limits.cpu gives a worker " + digitsText(limit) + " cores";
  const int threads = std::max(1, static_cast<int>(std::floor(limit)));
  if (std::ranges::count(question.profile.batches, threads, &BatchProfile::threads) == 0) {
    advice.notes.push_back(has + ", so " + counted(threads, "thread") +
                           ", and the profile has none by so many: measure again with sumac "
                           "profile --threads " +
                           std::to_string(threads) + ".");
  } else if (limit < 1) {
    advice.notes.push_back(has + ": steps are predicted for a whole one, and will take longer.");
  }
}

/// Nobody computes faster than the peak: then the machine type is slower than the profiled one.
void notePeak(const AdviceQuestion& question, Advice& advice) {
  if (!question.machine || !question.machine->operations_per_second) return;
  const double peak = question.machine->operations_per_second->value;
  const double profiled = profiledOperations(question);
  if (profiled <= peak) return;
  advice.notes.push_back("The profile's forward passes reach " + operationsText(profiled) +
                         ", above the peak of " + question.machine->name + ", " +
                         operationsText(peak) +
                         ": no machine of that type is so fast, and steps take longer there than "
                         "predicted.");
}

void noteWhatIsNotKnown(const AdviceQuestion& question, Advice& advice) {
  auto& notes = advice.notes;
  const bool has_link = question.link_bytes_per_second ||
                        (question.machine && question.machine->link_bytes_per_second);
  if (question.place == Placement::kMachines && !has_link)
    notes.push_back(
        "The links are those measured over 127.0.0.1: those between machines are slower. Give "
        "their rate with --link, or a machine type that has one.");
  if (question.place == Placement::kMachines && latencyOf(question) == nullptr)
    notes.push_back(
        "The latency of links is that of 127.0.0.1: between machines it is longer, and ways of "
        "several members take longer than predicted. Give it with --latency, or a machine type "
        "that has one.");
  if (question.machine)
    notes.push_back("Computing is as profiled on " + question.profile.machine.host + " (" +
                    question.profile.machine.cpu + "): nothing is assumed of how fast " +
                    question.machine->name + " computes. Profile the job there to know.");
  notePeak(question, advice);
  if (!question.noise)
    notes.push_back(
        "Only the job's own mini-batch is compared. How many steps another one takes is not "
        "known: train for some steps with training.noiseScale: true, then give that run's "
        "result.json with --result.");
  const bool has_memory =
      question.member_bytes || (question.machine && question.machine->memory_bytes);
  if (!has_memory)
    notes.push_back("No memory of a member is given, so none is compared with a limit.");
}

void noteWhatChanges(const AdviceQuestion& question, Advice& advice) {
  auto& notes = advice.notes;
  const JobChoice& taken = advice.ways[*advice.recommended].choice;
  if (taken.logical_workers != question.job.training.logical_workers)
    notes.push_back("V rises from " + std::to_string(question.job.training.logical_workers) +
                    " to " + std::to_string(taken.logical_workers) +
                    ", since each worker needs a part: the bits of the result change.");
  if (taken.codec != Codec::kFp32)
    notes.push_back("The codec " + std::string(toString(taken.codec)) +
                    " rounds the gradients in messages: compare the accuracy of a short run.");
  if (taken.batch != question.job.training.batch_size)
    notes.push_back(
        "Another mini-batch wants another learning rate; steps are by the noise scale, "
        "which holds near where it was estimated.");
}

}  // namespace

std::string mostText(const StepTime& step) {
  const std::string of = " of " + durationText(step.seconds()) + ")";
  switch (step.bound) {
    case Bound::kCompute: break;
    case Bound::kExchange:
      return "what is not hidden of the exchange (" + durationText(step.exchange) + of;
    case Bound::kCores: return "waiting for shared cores (" + durationText(step.cores) + of;
  }
  return "computing (" + durationText(step.forward + step.backward + step.update) + of;
}

void addReasons(const AdviceQuestion& question, Advice& advice) {
  const Way& taken = advice.ways[*advice.recommended];
  const Way& best = advice.ways.front();
  advice.reasons.push_back(boundText(taken));
  if (*advice.recommended > 0) {
    advice.reasons.push_back("The best by the model alone, " + toString(best.choice) + ", has " +
                             weightText(best, question.goal, advice.currency) + " against " +
                             weightText(taken, question.goal, advice.currency) +
                             equalText(best, taken) + ". So the way" +
                             simplerText(best.choice, taken.choice) + " is taken.");
  } else if (const Way* const next = runnerUp(advice)) {
    advice.reasons.push_back("The next way, " + toString(next->choice) + ", has " +
                             weightText(*next, question.goal, advice.currency) + ", " +
                             worseText(*next, taken, question.goal) + ".");
  }
  if (advice.as_written && *advice.as_written != *advice.recommended) {
    const Way& own = advice.ways[*advice.as_written];
    advice.reasons.push_back("The job as written, " + toString(own.choice) + ", has " +
                             weightText(own, question.goal, advice.currency) + ".");
  }
  addRisks(question, advice);
}

void addNotes(const AdviceQuestion& question, Advice& advice) {
  advice.notes.push_back(
      "Times and costs are of the steps alone: starting, loading data, evaluations, checkpoints "
      "and restarts come on top.");
  noteDisturbance(question, advice);
  noteWhatIsNotKnown(question, advice);
  if (!advice.recommended) return;
  noteThreads(question, advice);
  noteIdleCores(question, advice);
  noteLimit(question, advice);
  noteWhatChanges(question, advice);
}

}  // namespace sumac::planner
