#include "planner/report/sentences.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "base/core/units.h"
#include "planner/advice/answer.h"

namespace sumac::planner {
namespace {

/// What the goal weighs, with its unit.
std::string weightText(const Advice& advice, const Configuration& one) {
  switch (advice.goal) {
    case PlanGoal::kTime: return durationText(one.seconds);
    case PlanGoal::kCost: return moneyText(one.cost.value_or(0), advice.currency);
    case PlanGoal::kEfficiency: return "an efficiency of " + percentText(one.efficiency);
  }
  return {};
}

std::string stepText(const StepTime& step) {
  std::string text = fmt::format("A step takes {} and is bound by ", durationText(step.seconds()));
  switch (step.bound) {
    case Bound::kCompute: text += "compute"; break;
    case Bound::kExchange: text += "communication"; break;
    case Bound::kCores: text += "waiting for shared cores"; break;
  }
  text += fmt::format(": forward {}, backward {}, update {}, exposed communication {}",
                      durationText(step.forward), durationText(step.backward),
                      durationText(step.update), durationText(step.exchange));
  if (step.other > 0) text += ", other " + durationText(step.other);
  if (step.cores > 0) text += ", waiting for shared cores " + durationText(step.cores);
  return text + ".";
}

/// What a configuration does with what the goal weighs: it "takes" time.
std::string_view verbOf(PlanGoal goal) {
  return goal == PlanGoal::kTime ? "takes" : goal == PlanGoal::kCost ? "costs" : "has";
}

std::string worseText(const Advice& advice, const Configuration& next, const Configuration& taken) {
  constexpr double kVisible = 5e-4;  // a percentage has one decimal
  const double worse = weightOf(next, advice.goal) / weightOf(taken, advice.goal) - 1;
  if (worse >= 1) return digitsText(1 + worse) + " times as much";
  return worse < kVisible ? "as good" : percentText(worse) + " worse";
}

/// Why a configuration that is as good as the best is taken instead.
std::string equalText(const Advice& advice, const Configuration& best, const Configuration& taken) {
  const double margin = indifference(best, taken);
  std::vector<std::string> merits;
  if (taken.choice.members() < best.choice.members()) merits.emplace_back("with fewer members");
  if (taken.choice.batch == advice.job_batch && best.choice.batch != advice.job_batch)
    merits.emplace_back("with the job's own mini-batch");
  if (taken.choice.codec == Codec::kFp32 && best.choice.codec != Codec::kFp32)
    merits.emplace_back("without rounding");
  if (merits.empty()) merits.emplace_back("as the job is written");
  const std::string ours = weightText(advice, taken);
  const std::string its = weightText(advice, best);
  return fmt::format(
      "The best by the model alone, {}, {} {}, which is within the margin of {}: the configuration "
      "{} is recommended.{}",
      choiceText(best.choice), verbOf(advice.goal),
      its == ours
          ? (advice.goal == PlanGoal::kEfficiency ? "hardly more than " : "hardly less than ") +
                ours
          : its + " against " + ours,
      percentText(margin), joined(merits, " and "),
      margin < std::numbers::sqrt2 * kModelError
          ? ""
          : " Profile again on an idle machine to tell them apart.");
}

std::string amountText(const Advice& advice, PlanLimit limit, double amount) {
  switch (limit) {
    case PlanLimit::kMemory: return bytesText(amount);
    case PlanLimit::kDeadline: return durationText(amount);
    case PlanLimit::kWorkers: return counted(std::llround(amount), "worker");
    case PlanLimit::kBudget: break;
  }
  return moneyText(amount, advice.currency);
}

/// An amount above a limit that is named beside it: what is too much of it where both would read
/// the same.
std::string beyondText(const Advice& advice, const BrokenLimit& obstacle) {
  const auto& [limit, found, most] = obstacle;
  const std::string text = amountText(advice, limit, found);
  return text == amountText(advice, limit, most) ? amountText(advice, limit, found - most) + " more"
                                                 : text;
}

/// The same with how much it is above the limit, whose amount comes after it.
std::string overText(const Advice& advice, const BrokenLimit& obstacle, std::string_view name) {
  const auto& [limit, found, most] = obstacle;
  const std::string text = beyondText(advice, obstacle);
  const std::string noun = limit == PlanLimit::kMemory ? " of memory" : "";
  return text == amountText(advice, limit, found)
             ? fmt::format("{}{}, {} over the {} of ", text, noun,
                           amountText(advice, limit, found - most), name)
             : fmt::format("{}{} than the {} of ", text, noun, name);
}

std::string riskText(const Advice& advice, const Reason& reason) {
  const bool is_late = reason.kind == ReasonKind::kMayBeLate;
  const PlanLimit kind = is_late ? PlanLimit::kDeadline : PlanLimit::kBudget;
  const auto most = [&](const Configuration& each) {
    return (is_late ? each.seconds : each.cost.value_or(0)) * (1 + each.margin);
  };
  const double limit =
      (is_late ? advice.limits.deadline_seconds : advice.limits.budget).value_or(0);
  const std::string safe =
      reason.other
          ? choiceText(advice.configurations[*reason.other].choice) + ", up to " +
                amountText(advice, kind, most(advice.configurations[*reason.other])) + ", keeps it."
          : std::string("no configuration keeps it with its margin.");
  return fmt::format("It may miss the {}: with its margin it {} up to {}; {}",
                     is_late ? "deadline" : "budget", is_late ? "takes" : "costs",
                     beyondText(advice, {kind, most(advice.taken()), limit}), safe);
}

std::string holderOf(const MemberMemory& memory) {
  return memory.all_bytes ? "all members" : memory.is_workers_limit ? "a worker" : "a member";
}

std::string noMemoryText(const Advice& advice, const Configuration& smallest) {
  const MemberMemory& memory = smallest.memory;
  return fmt::format(
      "No configuration fits into the memory of {}, {}: the smallest, {}, needs {}; {} at least "
      "that.",
      holderOf(memory), bytesText(*memory.limit_bytes), choiceText(smallest.choice),
      beyondText(advice, {PlanLimit::kMemory, static_cast<double>(memory.needed()),
                          static_cast<double>(*memory.limit_bytes)}),
      memory.all_bytes          ? "take a machine with"
      : memory.is_workers_limit ? "raise limits.memory of the job's own template to"
                                : "take machines with");
}

/// All digits of an amount, without an exponent, rounded up to three of them: it can be typed and
/// is enough.
std::string enoughAmount(double amount) {
  constexpr int kDigits = 3;
  const int exponent = static_cast<int>(std::floor(std::log10(amount))) - (kDigits - 1);
  const double unit = std::pow(10.0, std::abs(exponent));
  // Powers of ten below 1 are divided by, since they have no exact value.
  const double rounded =
      exponent < 0 ? std::ceil(amount * unit) / unit : std::ceil(amount / unit) * unit;
  return fixedText(rounded, std::max(0, -exponent));
}

std::string enoughDuration(double seconds) {
  constexpr double kSecondsOfMinute = 60;
  constexpr double kSecondsOfHour = 3600;
  if (seconds >= 2 * kSecondsOfHour) return enoughAmount(seconds / kSecondsOfHour) + "h";
  if (seconds >= 2 * kSecondsOfMinute) return enoughAmount(seconds / kSecondsOfMinute) + "min";
  return enoughAmount(seconds) + "s";
}

/// "--deadline 11.7min"; of the memory only where an option gave it.
std::string optionsText(const Advice& advice, const EnoughLimits& limits) {
  constexpr double kMebibyte = 1024.0 * 1024;
  const bool is_workers =
      advice.configurations.at(advice.obstruction->smallest).memory.is_workers_limit;
  if (limits.memory_bytes && (!advice.limits.is_memory_given || is_workers)) return {};
  std::string text;
  if (limits.deadline_seconds) text += " --deadline " + enoughDuration(*limits.deadline_seconds);
  if (limits.budget) text += " --budget " + enoughAmount(*limits.budget) + advice.currency;
  if (limits.memory_bytes)
    text +=
        " --memory " + enoughAmount(static_cast<double>(*limits.memory_bytes) / kMebibyte) + "Mi";
  if (limits.workers) text += " --max-workers " + std::to_string(*limits.workers);
  return text.empty() ? text : text.substr(1);
}

std::string enoughText(const Advice& advice) {
  std::string text;
  for (const EnoughLimits& limits : advice.obstruction->enough) {
    if (const std::string options = optionsText(advice, limits); !options.empty())
      text += (text.empty() ? " " : " or ") + options;
  }
  return text.empty() ? text : text + " is enough.";
}

std::string whyNone(const Advice& advice) {
  const Obstruction& why = *advice.obstruction;
  const Configuration& smallest = advice.configurations.at(why.smallest);
  if (std::ranges::count(smallest.obstacles, PlanLimit::kWorkers, &BrokenLimit::limit) > 0)
    return fmt::format(
        "The profile reaches no configuration of at most {}, only the job as written: {}.",
        counted(advice.limits.workers, "worker"), choiceText(smallest.choice));
  if (!why.fastest) return noMemoryText(advice, smallest);
  const Configuration& fastest = advice.configurations.at(*why.fastest);
  const Configuration& cheapest = advice.configurations.at(*why.cheapest);
  if (!why.is_late && !why.is_dear)
    return fmt::format(
        "No configuration keeps the deadline and the budget together: the fastest, {}, costs {}; "
        "the cheapest, {}, takes {}.",
        choiceText(fastest.choice), moneyText(fastest.cost.value_or(0), advice.currency),
        choiceText(cheapest.choice), durationText(cheapest.seconds));
  const bool all_fit = std::ranges::all_of(
      advice.configurations, [](const Configuration& each) { return each.memory.fits(); });
  const char* const which = all_fit ? "" : " that fits into the memory";
  std::string text;
  if (why.is_late)
    text = fmt::format(
        "No configuration{} meets the deadline of {}: the fastest, {}, takes {}.", which,
        durationText(*advice.limits.deadline_seconds), choiceText(fastest.choice),
        beyondText(advice,
                   {PlanLimit::kDeadline, fastest.seconds, *advice.limits.deadline_seconds}));
  if (why.is_dear)
    text += fmt::format(
        "{}No configuration{} keeps the budget of {}: the cheapest, {}, costs {}.",
        text.empty() ? "" : " ", which, givenMoneyText(*advice.limits.budget, advice.currency),
        choiceText(cheapest.choice),
        beyondText(advice, {PlanLimit::kBudget, cheapest.cost.value_or(0), *advice.limits.budget}));
  return text;
}

/// What the recommended configuration would be then.
std::string behindText(const Advice& advice, const Change& change) {
  const Configuration& ours = advice.taken();
  if (change.obstacle)
    return "the recommended one then " + obstacleText(advice, ours.memory, *change.obstacle);
  if (change.behind <= change.margin)
    return fmt::format("the recommended one, with {}, would be within {} of it",
                       counted(ours.choice.members(), "member"), percentText(change.margin));
  const std::string_view worse = advice.goal == PlanGoal::kTime   ? "longer"
                                 : advice.goal == PlanGoal::kCost ? "dearer"
                                                                  : "less efficient";
  return fmt::format("the recommended one would be {} {}", percentText(change.behind), worse);
}

}  // namespace

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string all;
  for (const std::string& text : texts)
    all.append(all.empty() ? "" : between).append(text);
  return all;
}

std::string moneyText(double amount, std::string_view currency) {
  constexpr int kCents = 2;
  constexpr int kMost = 12;
  const bool is_small = amount > 0 && amount < 1;  // then three digits
  const int decimals =
      is_small ? kCents - static_cast<int>(std::floor(std::log10(amount))) : kCents;
  return fmt::format("{} {}", decimals > kMost ? digitsText(amount) : fixedText(amount, decimals),
                     currency);
}

std::string givenMoneyText(double amount, std::string_view currency) {
  constexpr int kCents = 2;
  constexpr int kMost = 9;  // what is typed has no more
  constexpr double kExact = 1e-9;
  int decimals = kCents;
  for (double unit = 1e-2;
       decimals < kMost && std::abs(std::round(amount / unit) * unit - amount) > kExact * amount;
       unit /= 10)
    ++decimals;
  return fmt::format("{} {}", fixedText(amount, decimals), currency);
}

std::string linkText(double bytes_per_second) {
  constexpr double kBits = 8;
  return bitRateText(kBits * bytes_per_second);
}

std::string choiceText(const JobChoice& choice) {
  if (hasNoExchange(choice)) return fmt::format("1 worker, no exchange, batch {}", choice.batch);
  return fmt::format("{}, {}{}, batch {}, {}", counted(choice.workers, "worker"),
                     choice.servers > 0 ? counted(choice.servers, "server") + ", " : "",
                     toString(choice.method), choice.batch, toString(choice.codec));
}

std::string exchangeText(const JobChoice& choice) {
  return std::string(hasNoExchange(choice) ? "none" : toString(choice.method));
}

std::string placeText(const Place& place) {
  const std::string cores = counted(place.cores, "core");
  if (place.placement == Placement::kHere)
    return fmt::format("all members on {}, sharing its {}", place.host, cores);
  if (!place.machine_type.empty()) return "one member a machine of type " + place.machine_type;
  return fmt::format("one member a machine like {} ({}, {})", place.host, place.cpu, cores);
}

std::vector<std::string> limitTexts(const Advice& advice) {
  const AskedLimits& limits = advice.limits;
  std::vector<std::string> texts;
  if (limits.deadline_seconds)
    texts.push_back("deadline " + durationText(*limits.deadline_seconds));
  if (limits.budget) texts.push_back("budget " + givenMoneyText(*limits.budget, advice.currency));
  if (limits.workers > 0) texts.push_back("at most " + counted(limits.workers, "worker"));
  return texts;
}

std::string predictionText(const Advice& advice, const Configuration& one) {
  return fmt::format("{}: {} {} for {}{}", choiceText(one.choice), durationText(one.seconds),
                     marginText(one.margin), counted(one.steps, "step"),
                     one.cost ? ", " + moneyText(*one.cost, advice.currency) : "");
}

std::string noPlanText(const Advice& advice) {
  return whyNone(advice) + enoughText(advice);
}

std::string reasonText(const Advice& advice, const Reason& reason) {
  const Configuration& taken = advice.taken();
  const Configuration& other = advice.configurations[reason.other.value_or(*advice.recommended)];
  switch (reason.kind) {
    case ReasonKind::kStep: return stepText(taken.step);
    case ReasonKind::kEqualToBest: return equalText(advice, other, taken);
    case ReasonKind::kNextIsWorse:
      return fmt::format("The next configuration, {}, {} {}, {}.", choiceText(other.choice),
                         verbOf(advice.goal), weightText(advice, other),
                         worseText(advice, other, taken));
    case ReasonKind::kAsWritten:
      return fmt::format("The job as written, {}, {} {}.", choiceText(other.choice),
                         verbOf(advice.goal), weightText(advice, other));
    case ReasonKind::kMayBeLate:
    case ReasonKind::kMayBeDear: break;
  }
  return riskText(advice, reason);
}

std::string obstacleText(const Advice& advice, const MemberMemory& memory,
                         const BrokenLimit& obstacle) {
  switch (obstacle.limit) {
    case PlanLimit::kMemory:
      return fmt::format("{} {} {}{}", holderOf(memory), memory.all_bytes ? "need" : "needs",
                         overText(advice, obstacle, "limit"), bytesText(obstacle.most));
    case PlanLimit::kDeadline:
      return "takes " + overText(advice, obstacle, "deadline") + durationText(obstacle.most);
    case PlanLimit::kWorkers:
      return "has " + overText(advice, obstacle, "limit") + fixedText(obstacle.most, 0);
    case PlanLimit::kBudget: break;
  }
  return "costs " + overText(advice, obstacle, "budget") +
         givenMoneyText(obstacle.most, advice.currency);
}

std::string trialText(const Trial& trial) {
  switch (trial.condition) {
    case Condition::kLinksHalf: return "links at half their rate";
    case Condition::kLinksTwice: return "links at twice their rate";
    case Condition::kComputeHalf: return "compute in half the time";
    case Condition::kComputeTwice: return "compute in twice the time";
    case Condition::kPriceHalf: return "machines at half their price";
    case Condition::kPriceTwice: return "machines at twice their price";
    case Condition::kLinksOrLess: return fmt::format("links of {} or less", linkText(trial.amount));
    case Condition::kLinksOrMore: return fmt::format("links of {} or more", linkText(trial.amount));
    case Condition::kLatencyOrMore:
      return fmt::format("a link latency of {} or more", durationText(trial.amount));
    case Condition::kLatencyUpTo:
      return fmt::format("a link latency of up to {}", durationText(trial.amount));
    case Condition::kNoiseLow:
    case Condition::kNoiseHigh: break;
  }
  return fmt::format("the noise scale at the {} end of its interval ({} samples)",
                     trial.condition == Condition::kNoiseLow ? "low" : "high",
                     digitsText(trial.amount));
}

std::string changeText(const Advice& advice, const Change& change) {
  const std::string what = trialText(change.trial);
  if (!change.choice) return fmt::format("With {} no configuration keeps all limits.", what);
  return fmt::format("With {}: {}, {}; {}.", what, choiceText(*change.choice),
                     durationText(change.seconds), behindText(advice, change));
}

}  // namespace sumac::planner
