#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "planner/advice/advice_parts.h"

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

/// How much worse `ours` is than `best`, as a share of that, or of the efficiency that is lost.
double behindOf(const Configuration& ours, const Configuration& best, PlanGoal goal) {
  if (goal == PlanGoal::kEfficiency)
    return best.efficiency > 0 ? 1 - ours.efficiency / best.efficiency : 0;
  const double weight = weightOf(best, goal);
  return weight > 0 ? weightOf(ours, goal) / weight - 1 : 0;
}

const Configuration* find(const std::vector<Configuration>& all, const JobChoice& choice) {
  const auto found = std::ranges::find(all, choice, &Configuration::choice);
  return found == all.end() ? nullptr : &*found;
}

/// Whether `other` still takes `choice`, or may: it is no worse than what the model cannot tell
/// apart.
bool isSame(const Answer& other, const JobChoice& choice, PlanGoal goal) {
  if (!other.recommended) return false;
  const Configuration& best = other.configurations[*other.recommended];
  const Configuration* const ours = find(other.configurations, choice);
  if (ours == nullptr || !ours->isPossible()) return false;
  return weightOf(*ours, goal) <= weightOf(best, goal) * (1 + indifference(*ours, best)) &&
         ours->choice.members() <= best.choice.members();
}

/// Compares the answer of the question as it is with those of changed ones.
class Comparison {
 public:
  Comparison(const AdviceQuestion& question, const PreparedConfigurations& prepared,
             const Answer& answer, Advice& advice)
      : question_(question),
        prepared_(prepared),
        choice_(answer.configurations[*answer.recommended].choice),
        advice_(advice) {}

  Result<void> under(Condition condition, const Conditions& conditions) {
    return compare({condition}, question_, conditions);
  }
  Result<void> withNoise(Condition condition, double samples) {
    AdviceQuestion question = question_;
    question.noise->samples.value = samples;
    return compare({condition, samples}, question, {});
  }

  /// The rate nearest to the present one, in one direction, at which another configuration is
  /// better.
  Result<void> findRate(double direction) {
    for (double exponent = kExponentStep; exponent <= kMostExponent; exponent += kExponentStep) {
      const double factor = std::exp2(direction * exponent);
      const auto other = answerUnder(question_, prepared_, {.link_factor = factor});
      if (!other) return other.error();
      if (isSame(*other, choice_, question_.goal)) continue;
      // What the factor applies to: the limit where there is one.
      const double limit = prepared_.where.link_bytes_per_second;
      const double rate = factor * (limit > 0 ? limit : linkBytesPerSecond(prepared_));
      note({direction < 0 ? Condition::kLinksOrLess : Condition::kLinksOrMore, rate}, *other);
      return {};
    }
    return {};
  }

  /// The shortest latency above the present one, to a quarter of it, at which another configuration
  /// is better.
  Result<void> findLatency() {
    double same = prepared_.costs.exchange.hop;
    while (same < kMostLatency) {
      const double hop = std::clamp(kTwice * same, kLeastLatency, kMostLatency);
      const auto other = answerUnder(question_, prepared_, {.least_hop = hop});
      if (!other) return other.error();
      if (!isSame(*other, choice_, question_.goal)) return findLatencyBetween(same, hop, *other);
      same = hop;
    }
    advice_.unchanged.push_back({Condition::kLatencyUpTo, kMostLatency});
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
    note({Condition::kLatencyOrMore, different}, other);
    return {};
  }

  Result<void> compare(const Trial& trial, const AdviceQuestion& question,
                       const Conditions& conditions) {
    const auto other = answerUnder(question, prepared_, conditions);
    if (!other) return other.error();
    if (isSame(*other, choice_, question.goal)) {
      advice_.unchanged.push_back(trial);
    } else {
      note(trial, *other);
    }
    return {};
  }

  void note(const Trial& trial, const Answer& other) {
    Change& change = advice_.changes.emplace_back(Change{.trial = trial});
    if (!other.recommended) return;
    const Configuration& best = other.configurations[*other.recommended];
    change.choice = best.choice;
    change.seconds = best.seconds;
    const Configuration* const ours = find(other.configurations, choice_);
    if (ours == nullptr) return;
    change.behind = std::max(0.0, behindOf(*ours, best, question_.goal));
    change.margin = indifference(*ours, best);
    if (!ours->isPossible()) change.obstacle = ours->obstacles.front();
  }

  const AdviceQuestion& question_;  // outlives us, as the others
  const PreparedConfigurations& prepared_;
  JobChoice choice_;
  Advice& advice_;
};

}  // namespace

Result<void> addSensitivity(const AdviceQuestion& question, const PreparedConfigurations& prepared,
                            const Answer& answer, Advice& advice) {
  Comparison comparison(question, prepared, answer, advice);
  // Members on one machine have no links, unless the question is of emulated ones.
  const bool has_links = question.place == Placement::kMachines || question.link_bytes_per_second;
  std::vector<std::pair<Condition, Conditions>> cases;
  if (has_links) {
    cases.push_back({Condition::kLinksHalf, {.link_factor = kHalf}});
    cases.push_back({Condition::kLinksTwice, {.link_factor = kTwice}});
  }
  cases.push_back({Condition::kComputeHalf, {.compute_factor = kHalf}});
  cases.push_back({Condition::kComputeTwice, {.compute_factor = kTwice}});
  if (question.machine && question.machine->price_per_hour) {
    cases.push_back({Condition::kPriceHalf, {.price_factor = kHalf}});
    cases.push_back({Condition::kPriceTwice, {.price_factor = kTwice}});
  }
  for (const auto& [condition, conditions] : cases) {
    if (auto compared = comparison.under(condition, conditions); !compared) return compared;
  }
  for (const double direction : {-1.0, 1.0}) {
    if (!has_links) break;
    if (auto found = comparison.findRate(direction); !found) return found;
  }
  if (question.place == Placement::kMachines) {
    if (auto found = comparison.findLatency(); !found) return found;
  }
  if (!question.noise) return {};
  const auto& [samples, low, high] = *question.noise;
  if (low) {
    auto compared = comparison.withNoise(Condition::kNoiseLow, *low);
    if (!compared) return compared;
  }
  if (!high) return {};
  return comparison.withNoise(Condition::kNoiseHigh, *high);
}

}  // namespace sumac::planner
