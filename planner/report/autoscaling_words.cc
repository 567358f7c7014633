#include "planner/report/autoscaling_words.h"

#include <fmt/format.h>

#include "base/core/units.h"

namespace sumac::planner {
namespace {

std::string workersText(int workers) {
  return counted(workers, "worker");
}

/// "is" or "are", after so many workers.
const char* areText(int workers) {
  return workers == 1 ? "is" : "are";
}

std::string savedCostText(const SizeDecision& made) {
  const double saves = made.decision.saves;
  return made.policy.prices == autoscaling::Prices{} ? durationText(saves) + " of workers' time"
                                                     : digitsText(saves) + " of cost";
}

/// What no number of workers keeps; empty: nothing, or too little is known to say so.
std::string missedText(const autoscaling::Decision& decision) {
  using enum autoscaling::Reason;
  if (decision.reason == kMeasuring || decision.reason == kStabilizing || decision.reason == kDone)
    return "";
  if (decision.late_seconds > 0)
    return fmt::format("; it will be {} late all the same", durationText(decision.late_seconds));
  if (decision.over_budget > 0)
    return fmt::format("; it will cost {} more than the budget all the same",
                       digitsText(decision.over_budget));
  return "";
}

std::string stragglerText(const autoscaling::Decision& decision) {
  std::string who = "one worker slows all others";
  if (const auto& slow = decision.straggler)
    who = fmt::format("worker {} slows the others: a part takes it {:.1f} times as long",
                      slow->worker, slow->slowdown);
  return who + "; another number of workers would not help";
}

}  // namespace

std::string_view goalText(autoscaling::Goal goal) {
  using enum autoscaling::Goal;
  switch (goal) {
    case kThroughput: return "throughput";
    case kEfficiency: return "efficiency";
    case kDeadline: return "deadline";
    case kCost: return "cost";
  }
  return {};
}

std::string_view reasonName(autoscaling::Reason reason) {
  using enum autoscaling::Reason;
  switch (reason) {
    case kMeasuring: return "Measuring";
    case kStabilizing: return "Stabilizing";
    case kStraggler: return "Straggler";
    case kRightSize: return "RightSize";
    case kNotWorth: return "NotWorth";
    case kDone: return "Done";
    case kSavesTime: return "SavesTime";
    case kSavesCost: return "SavesCost";
    case kDeadline: return "Deadline";
    case kBudget: return "Budget";
    case kTarget: return "Target";
    case kRoom: return "Room";
    case kBounds: return "Bounds";
    case kUtilization: return "ProcessorTime";
  }
  return {};
}

std::optional<autoscaling::Reason> reasonNamed(std::string_view name) {
  using autoscaling::Reason;
  for (auto code = static_cast<int>(Reason::kMeasuring);
       code <= static_cast<int>(Reason::kUtilization); ++code) {
    const auto reason = static_cast<Reason>(code);
    if (reasonName(reason) == name) return reason;
  }
  return std::nullopt;
}

namespace {

std::string causeText(const SizeDecision& made) {
  using enum autoscaling::Reason;
  const autoscaling::Decision& decision = made.decision;
  switch (decision.reason) {
    case kMeasuring: return "measures how long a step takes with " + workersText(decision.workers);
    case kStabilizing:
      return fmt::format("{} {} wanted, once {} {} observed for long enough",
                         workersText(decision.wanted), areText(decision.wanted), decision.workers,
                         areText(decision.workers));
    case kStraggler: return stragglerText(decision);
    case kRightSize:
      return fmt::format("{} {} the right number", workersText(decision.workers),
                         areText(decision.workers));
    case kNotWorth:
      return fmt::format("{} would not save what the change costs", workersText(decision.wanted));
    case kDone: return "no steps are left";
    case kSavesTime: return fmt::format("saves {} until the end", durationText(decision.saves));
    case kSavesCost: return fmt::format("saves {} until the end", savedCostText(made));
    case kDeadline: return "would miss the deadline otherwise";
    case kBudget: return "would exceed the budget otherwise";
    case kTarget: return "efficiency is more than 10 % below its target";
    case kRoom: return fmt::format("there is room for {}", workersText(decision.most));
    case kBounds:
      return fmt::format("{} {} outside worker.minReplicas and maxReplicas", workersText(made.from),
                         areText(made.from));
    case kUtilization:
      return fmt::format("workers use {} of the CPU that they request",
                         percentText(decision.utilization, 0));
  }
  return {};
}

}  // namespace

std::string reasonText(const SizeDecision& made) {
  return causeText(made) + missedText(made.decision);
}

std::string sizeChangeText(const SizeDecision& made, Step step) {
  return fmt::format("workers {} -> {} at step {}: {} ({})", made.from, made.decision.workers, step,
                     reasonText(made), goalText(made.policy.goal));
}

std::string sizeStayText(const SizeDecision& made, Step step) {
  return fmt::format("workers stay {} at step {}: {} ({})", made.decision.workers, step,
                     reasonText(made), goalText(made.policy.goal));
}

}  // namespace sumac::planner
