#include "planner/advice/explanation.h"

#include <functional>
#include <string>

#include "common/base/text.h"
#include "planner/advice/answer.h"
#include "planner/advice/texts.h"

namespace sumac::planner {
namespace {

/// The smallest way by some measure among those that `is_in`.
const Way* least(const std::vector<Way>& ways, const std::function<double(const Way&)>& measure,
                 const std::function<bool(const Way&)>& is_in) {
  const Way* best = nullptr;
  for (const Way& way : ways) {
    if (is_in(way) && (best == nullptr || measure(way) < measure(*best))) best = &way;
  }
  return best;
}

double memoryShare(const Way& way) {
  return static_cast<double>(way.memory.largest()) /
         static_cast<double>(way.memory.limit_bytes.value_or(1));
}

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
  return text + "; it is bound by " + std::string(toString(step.bound)) + ".";
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

void noteWhatIsNotKnown(const AdviceQuestion& question, Advice& advice) {
  auto& notes = advice.notes;
  const bool has_link = question.link_bytes_per_second ||
                        (question.machine && question.machine->link_bytes_per_second);
  if (question.place == Placement::kMachines && !has_link)
    notes.push_back(
        "The links are those measured over 127.0.0.1: those between machines are slower. Give "
        "their rate with --link, or a machine type that has one.");
  if (question.machine)
    notes.push_back("Computing is as profiled on " + question.profile.machine.host + " (" +
                    question.profile.machine.cpu + "): nothing is assumed of how fast " +
                    question.machine->name + " computes. Profile the job there to know.");
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

std::string whyNoPlan(const AdviceQuestion& question, const Advice& advice) {
  const auto& ways = advice.ways;
  const auto any = [](const Way&) { return true; };
  const auto fits = [](const Way& way) {
    return !way.memory.limit_bytes || way.memory.largest() <= *way.memory.limit_bytes;
  };
  if (const Way* const small = least(ways, memoryShare, any); small && !fits(*small)) {
    return "No way fits into the memory of a member, " + memoryText(*small->memory.limit_bytes) +
           ": the smallest, " + toString(small->choice) + ", needs " +
           memoryText(small->memory.largest()) + "; take machines with at least that.";
  }
  const auto seconds = [](const Way& way) { return way.seconds; };
  const auto cost = [](const Way& way) { return way.cost.value_or(0); };
  const Way* const fastest = least(ways, seconds, fits);
  if (fastest == nullptr) return "No way fits into the memory of all members.";
  const auto late = question.deadline_seconds.value_or(fastest->seconds);
  if (fastest->seconds > late) {
    return "No way meets the deadline of " + durationText(late) + ": the fastest, " +
           toString(fastest->choice) + ", takes " + durationText(fastest->seconds) +
           "; the deadline must be at least that.";
  }
  if (!question.budget) return "No way keeps all limits.";
  const Way* const cheapest = least(ways, cost, fits);
  const std::string money = moneyText(*question.budget, advice.currency);
  if (*cheapest->cost > *question.budget) {
    return "No way keeps the budget of " + money + ": the cheapest, " + toString(cheapest->choice) +
           ", costs " + moneyText(*cheapest->cost, advice.currency) +
           "; the budget must be at least that.";
  }
  const Way* const both = least(
      ways, seconds, [&](const Way& way) { return fits(way) && cost(way) <= *question.budget; });
  if (both == nullptr) return "No way keeps all limits.";
  return "No way keeps the deadline and the budget together: within " + money + " the fastest, " +
         toString(both->choice) + ", takes " + durationText(both->seconds) +
         "; a deadline of that fits.";
}

void addReasons(const AdviceQuestion& question, Advice& advice) {
  const Way& taken = advice.ways[*advice.recommended];
  const Way& best = advice.ways.front();
  advice.reasons.push_back(boundText(taken));
  if (*advice.recommended > 0) {
    advice.reasons.push_back("The best by the model alone, " + toString(best.choice) + ", has " +
                             weightText(best, question.goal, advice.currency) + " against " +
                             weightText(taken, question.goal, advice.currency) + ": within " +
                             percentText(kIndifference) +
                             ", which it cannot tell apart, so the way with fewer members "
                             "and without rounding is taken.");
  } else if (const Way* const next = runnerUp(advice)) {
    advice.reasons.push_back(
        "The next way, " + toString(next->choice) + ", has " +
        weightText(*next, question.goal, advice.currency) + ", " +
        percentText(weightOf(*next, question.goal) / weightOf(taken, question.goal) - 1) +
        " worse.");
  }
  if (advice.as_written && *advice.as_written != *advice.recommended) {
    const Way& own = advice.ways[*advice.as_written];
    advice.reasons.push_back("The job as written, " + toString(own.choice) + ", has " +
                             weightText(own, question.goal, advice.currency) + ".");
  }
}

void addNotes(const AdviceQuestion& question, Advice& advice) {
  noteWhatIsNotKnown(question, advice);
  if (advice.recommended) noteWhatChanges(question, advice);
}

}  // namespace sumac::planner
