#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/units.h"
#include "planner/advice/advice_parts.h"
#include "planner/advice/texts.h"

namespace sumac::planner {
namespace {

constexpr double kHalf = 0.5;
constexpr double kTwice = 2;
// The rate of links is varied by up to 2 to the sixth, and found to 2 to the quarter.
constexpr double kMostExponent = 6;
constexpr double kExponentStep = 0.25;
// The latency of links, in seconds, is varied from that within a rack to that between cities.
constexpr double kLeastLatency = 1e-6;
constexpr double kMostLatency = 1e-2;

std::string_view worseText(PlanGoal goal) {
  switch (goal) {
    case PlanGoal::kTime: return "longer";
    case PlanGoal::kCost: return "dearer";
    case PlanGoal::kEfficiency: return "less efficient";
  }
  return "worse";
}

/// How much worse `ours` is than `best`, as a share of that, or of the efficiency that is lost.
double behindOf(const Way& ours, const Way& best, PlanGoal goal) {
  if (goal == PlanGoal::kEfficiency)
    return best.efficiency > 0 ? 1 - ours.efficiency / best.efficiency : 0;
  const double weight = weightOf(best, goal);
  return weight > 0 ? weightOf(ours, goal) / weight - 1 : 0;
}

const Way* find(const std::vector<Way>& ways, const JobChoice& choice) {
  const auto found = std::ranges::find(ways, choice, &Way::choice);
  return found == ways.end() ? nullptr : &*found;
}

/// Whether `other` still takes `choice`, or may: it is no worse than what the model cannot tell
/// apart.
bool isSame(const Answer& other, const JobChoice& choice, PlanGoal goal) {
  if (!other.recommended) return false;
  const Way& best = other.ways[*other.recommended];
  const Way* const ours = find(other.ways, choice);
  if (ours == nullptr || !ours->obstacles.empty()) return false;
  return weightOf(*ours, goal) <= weightOf(best, goal) * (1 + indifference(*ours, best)) &&
         ours->choice.members() <= best.choice.members();
}

/// Compares the answer of the question as it is with those of changed ones.
class Comparison {
 public:
  Comparison(const AdviceQuestion& question, const PreparedWays& prepared, const Answer& answer,
             Advice& advice)
      : question_(question),
        prepared_(prepared),
        choice_(answer.ways[*answer.recommended].choice),
        advice_(advice) {}

  Result<void> under(const std::string& what, const Conditions& conditions) {
    return compare(what, question_, conditions);
  }
  Result<void> withNoise(const std::string& what, double samples) {
    AdviceQuestion question = question_;
    question.noise->samples.value = samples;
    return compare(what + ", " + digitsText(samples) + " samples", question, {});
  }

  /// The rate nearest to the present one, in one direction, at which another way is better.
  Result<void> findRate(double direction) {
    for (double exponent = kExponentStep; exponent <= kMostExponent; exponent += kExponentStep) {
      const double factor = std::exp2(direction * exponent);
      const auto other = answerUnder(question_, prepared_, {.link_factor = factor});
      if (!other) return other.error();
      if (isSame(*other, choice_, question_.goal)) continue;
      // What the factor applies to: the limit where there is one.
      const double limit = prepared_.where.link_bytes_per_second;
      const double rate = factor * (limit > 0 ? limit : linkBytesPerSecond(prepared_));
      note(std::string("links of ") + linkText(rate) + (direction < 0 ? " or less" : " or more"),
           *other);
      return {};
    }
    return {};
  }

  /// The shortest latency above the present one, to a quarter of it, at which another way is
  /// better.
  Result<void> findLatency() {
    double same = prepared_.costs.exchange.hop;
    while (same < kMostLatency) {
      const double hop = std::clamp(kTwice * same, kLeastLatency, kMostLatency);
      const auto other = answerUnder(question_, prepared_, {.least_hop = hop});
      if (!other) return other.error();
      if (!isSame(*other, choice_, question_.goal)) return findLatencyBetween(same, hop, *other);
      same = hop;
    }
    advice_.unchanged.push_back("links with a latency of up to " + durationText(kMostLatency));
    return {};
  }

 private:
  /// The answer is the same at one latency and `other` at another, which is at most twice as long.
  Result<void> findLatencyBetween(double same, double different, Answer other) {
    while (different - same > different / 4) {
      const double hop = (same + different) / 2;
      auto between = answerUnder(question_, prepared_, {.least_hop = hop});
      if (!between) return between.error();
      if (isSame(*between, choice_, question_.goal)) {
        same = hop;
      } else {
        different = hop;
        other = *std::move(between);
      }
    }
    note("links with a latency of " + durationText(different) + " or more", other);
    return {};
  }

  Result<void> compare(const std::string& what, const AdviceQuestion& question,
                       const Conditions& conditions) {
    const auto other = answerUnder(question, prepared_, conditions);
    if (!other) return other.error();
    if (isSame(*other, choice_, question.goal)) {
      advice_.unchanged.push_back(what);
    } else {
      note(what, *other);
    }
    return {};
  }

  void note(const std::string& what, const Answer& other) {
    Change change;
    change.what = what;
    if (!other.recommended) {
      change.text = "With " + what + " no way keeps all limits.";
      advice_.changes.push_back(std::move(change));
      return;
    }
    const Way& best = other.ways[*other.recommended];
    change.choice = best.choice;
    change.seconds = best.seconds;
    change.text = "With " + what + ": " + toString(best.choice) + ", " + durationText(best.seconds);
    if (const Way* const ours = find(other.ways, choice_); ours != nullptr) {
      change.behind = std::max(0.0, behindOf(*ours, best, question_.goal));
      change.text += behindText(*ours, change.behind, indifference(*ours, best));
    }
    change.text += ".";
    advice_.changes.push_back(std::move(change));
  }

  std::string behindText(const Way& ours, double behind, double equal) const {
    if (!ours.obstacles.empty()) return "; the recommended way then " + ours.obstacles.front();
    if (behind <= equal)
      return "; the recommended way, with " + counted(ours.choice.members(), "member") +
             ", would be within " + percentText(equal) + " of it";
    return "; the recommended way would be " + percentText(behind) + " " +
           std::string(worseText(question_.goal));
  }

  const AdviceQuestion& question_;  // outlives us, as the others
  const PreparedWays& prepared_;
  JobChoice choice_;
  Advice& advice_;
};

}  // namespace

Result<void> addSensitivity(const AdviceQuestion& question, const PreparedWays& prepared,
                            const Answer& answer, Advice& advice) {
  Comparison comparison(question, prepared, answer, advice);
  std::vector<std::pair<const char*, Conditions>> cases = {
      {"links at half their rate", {.link_factor = kHalf}},
      {"links at twice their rate", {.link_factor = kTwice}},
      {"computing in half the time", {.compute_factor = kHalf}},
      {"computing in twice the time", {.compute_factor = kTwice}}};
  if (question.machine && question.machine->price_per_hour) {
    cases.push_back({"machines at half their price", {.price_factor = kHalf}});
    cases.push_back({"machines at twice their price", {.price_factor = kTwice}});
  }
  for (const auto& [what, conditions] : cases) {
    if (auto compared = comparison.under(what, conditions); !compared) return compared;
  }
  for (const double direction : {-1.0, 1.0}) {
    if (auto found = comparison.findRate(direction); !found) return found;
  }
  if (question.place == Placement::kMachines) {
    if (auto found = comparison.findLatency(); !found) return found;
  }
  if (!question.noise) return {};
  const auto& [samples, low, high] = *question.noise;
  if (low) {
    auto compared = comparison.withNoise("the noise scale at the low end of its interval", *low);
    if (!compared) return compared;
  }
  if (!high) return {};
  return comparison.withNoise("the noise scale at the high end of its interval", *high);
}

}  // namespace sumac::planner
