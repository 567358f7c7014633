#include "planner/autoscaling/decide.h"

#include <algorithm>
#include <cmath>

#include "planner/autoscaling/useful_sizes.h"

namespace sumac::autoscaling {
namespace {

// A size that is slower by less than this is as fast.
constexpr double kAsFast = 1.05;
// By less, where it was observed and left: what noise adds must not bring the job there again.
constexpr double kAsFastObserved = 1.02;
// By which an observed size must be faster before a job grows to it again: less may be noise.
constexpr double kFasterThanNoise = 1.05;
// What of a deadline or a budget is held back: for a size that was never tried, first and of money,
// or was left soon; for one that was never tried, when several others were, or that was observed
// for long (of money less); and for the present one, of which small errors show in time to change
// it. The present one has so much less than others that noise does not take the job there and back.
constexpr double kFirstMargin = 0.1;
constexpr double kKnownMargin = 0.05;
constexpr double kKnownMoneyMargin = 0.03;
constexpr double kPresentMargin = 0.02;
// A target that is missed by more than this share of it is not waited for.
constexpr double kTargetMissed = 0.1;
// What a change saves until the end must be more than so many times what it costs.
constexpr double kWorth = 2;
// So that searching ends: after so many changes only sizes that were observed are chosen from, ...
constexpr int kMostTries = 4;
// ... and after so many only what must not wait changes anything.
constexpr int kMostChanges = 5;
// What must not wait is decided after this share of the time for which a size is observed.
constexpr double kUrgentShare = 0.25;
constexpr double kLeastSteps = 3;
constexpr double kLongestWait = 3600;  // for room
constexpr double kLookAgain = 600;
constexpr int kMostParts = 1 << 20;
constexpr double kMostAmount = 1e15;  // of seconds, steps or money

double within(double value, double low, double high, double otherwise) {
  return std::isnan(value) ? otherwise : std::clamp(value, low, high);
}

/// A number that is not below 0, and finite.
double amount(double value, double otherwise = 0) {
  return within(value, 0, kMostAmount, otherwise);
}

Policy sane(const Policy& policy) {
  const Policy usual;
  Policy valid = policy;
  valid.target_efficiency = within(policy.target_efficiency, 0, 1, usual.target_efficiency);
  valid.deadline_seconds = amount(policy.deadline_seconds);
  valid.prices = {amount(policy.prices.worker_hour), amount(policy.prices.server_hour)};
  valid.budget = amount(policy.budget);
  valid.stabilization_seconds = amount(policy.stabilization_seconds, usual.stabilization_seconds);
  return valid;
}

struct Candidate {
  int workers = 1;
  SizeTime step;
  double rate = 0;  // what a second with so many costs

  double cost() const { return rate * step.seconds; }  // of a step
};

/// A situation as numbers that can be, and what follows from it for one policy.
class Decider {
 public:
  Decider(const Policy& policy, const Situation& situation);

  Decision decide() const;

 private:
  double slowdown(int workers) const {
    return slowdownOf(given_.memory.straggler, workers, parts_);
  }
  Candidate candidate(int workers) const;
  std::vector<Candidate> candidates() const;
  Candidate fastest(const std::vector<Candidate>& sizes) const;
  Candidate choose(const std::vector<Candidate>& sizes) const;
  Candidate smallestAsFast(const std::vector<Candidate>& sizes) const;
  int changesTo(const Candidate& one) const;
  double leftWithChange(const Candidate& one) const;
  Candidate mostEfficient(const std::vector<Candidate>& sizes) const;
  int changes() const;
  bool mayTry(int workers) const;
  bool wasObservedLong(const Candidate& one) const;
  double margin(const Candidate& one) const;
  double needs(const Candidate& one) const;
  double has() const;
  bool fits(const Candidate& one) const { return needs(one) <= has(); }
  double efficiency(const Candidate& one) const;
  double left(const Candidate& one) const { return steps_left_ * one.step.seconds; }
  bool isUrgent(const Candidate& wanted) const;
  bool isWorth(const Candidate& wanted, Decision& decision) const;
  Reason urgentReason() const;
  Reason rightReason() const;
  bool isOfSizes() const;
  bool isSettled() const;
  int mostChanges() const;
  double urgentSeconds() const;
  Decision staying() const;
  Decision unmeasured() const;
  Decision gated(const Candidate& wanted) const;
  Decision finished(Decision decision) const;

  const Policy policy_;
  const Situation& given_;
  std::vector<Observation> observations_;  // those that can be
  int parts_ = 1;
  int min_ = 1;
  int max_ = 1;   // by the bounds
  int most_ = 1;  // that there is room for, at least min_
  double now_ = 0;
  double elapsed_ = 0;  // since the present size began to train
  double steps_left_ = 0;
  double change_seconds_ = 0;
  double room_until_ = 0;
  Candidate present_;
  Candidate fewest_;  // as bounds allow
};

Decider::Decider(const Policy& policy, const Situation& situation)
    : policy_(sane(policy)), given_(situation) {
  const Memory& memory = situation.memory;
  for (const Observation& one : memory.observations)
    if (isPossible(one) && observations_.size() < kMostObservations) observations_.push_back(one);
  parts_ = std::clamp(situation.parts, 1, kMostParts);
  min_ = std::clamp(situation.min_workers, 1, parts_);
  max_ = std::clamp(situation.max_workers, min_, parts_);
  now_ = amount(situation.now);
  // A clock that was set back must not stop all decisions.
  elapsed_ =
      situation.since <= now_ ? now_ - amount(situation.since) : policy_.stabilization_seconds;
  steps_left_ = amount(situation.steps_left);
  change_seconds_ = amount(situation.change_seconds, kChangeInPlaceSeconds);
  most_ = max_;
  const std::optional<Room>& room = situation.room;
  if (room && room->until > now_) {
    most_ = std::clamp(room->most, min_, max_);
    room_until_ = std::min(room->until, now_ + kLongestWait);
  }
  present_ = candidate(std::max(1, situation.workers));
  fewest_ = candidate(min_);
}

Candidate Decider::candidate(int workers) const {
  const int servers = std::max(0, given_.servers);
  const double money = policy_.prices.of(workers, servers);
  Candidate one{workers, {}, money > 0 ? money : workers};
  if (!observations_.empty())
    one.step = SizeModel(parts_, given_.expected, observations_, policy_.stabilization_seconds)(
        workers, slowdown(workers));
  // Of steps that take next to no time, or for ever, a model's numbers leave what can be counted.
  one.step.seconds = amount(one.step.seconds, kMostAmount);
  return one;
}

/// Of this search: another one begins where there is more room, or less.
int Decider::changes() const {
  return given_.memory.most == most_ ? given_.memory.changes : 0;
}

bool Decider::mayTry(int workers) const {
  return changes() < kMostTries || workers == present_.workers ||
         std::ranges::find(observations_, workers, &Observation::workers) != observations_.end();
}

std::vector<Candidate> Decider::candidates() const {
  std::vector<Candidate> all;
  for (const int size : usefulSizes(parts_, min_, most_))
    if (mayTry(size) || size == min_) all.push_back(candidate(size));
  return all;
}

double Decider::efficiency(const Candidate& one) const {
  return fewest_.step.seconds * min_ / (one.step.seconds * one.workers);
}

/// Some reports say little of a size that was left soon.
bool Decider::wasObservedLong(const Candidate& one) const {
  const Observation* const observed = given_.memory.find(one.workers);
  return observed != nullptr &&
         observed->steps * observed->step_seconds >= policy_.stabilization_seconds;
}

double Decider::margin(const Candidate& one) const {
  if (one.workers == present_.workers) return kPresentMargin;
  // Of a size that was left soon little is known, though a few steps were observed.
  const bool is_money = policy_.goal == Goal::kCost;
  if (given_.memory.find(one.workers) != nullptr) {
    if (!wasObservedLong(one)) return kFirstMargin;
    return is_money ? kKnownMoneyMargin : kKnownMargin;
  }
  const bool is_first = observations_.size() < 2 || is_money;
  return is_first ? kFirstMargin : kKnownMargin;
}

/// What the steps that are left take with so many workers, with what is held back: seconds for a
/// deadline, money for a budget.
double Decider::needs(const Candidate& one) const {
  const double seconds = left(one) * (1 + margin(one)) + changesTo(one) * change_seconds_;
  if (policy_.goal == Goal::kDeadline) return seconds;
  return policy_.prices == Prices{} ? 0 : seconds * one.rate;
}

/// What is left of the deadline, or of the budget.
double Decider::has() const {
  return policy_.goal == Goal::kDeadline ? policy_.deadline_seconds - now_
                                         : policy_.budget - amount(given_.spent);
}

Candidate Decider::fastest(const std::vector<Candidate>& sizes) const {
  return *std::ranges::min_element(sizes, {},
                                   [](const Candidate& one) { return one.step.seconds; });
}

/// The largest size that keeps the target and is faster than all smaller ones.
Candidate Decider::mostEfficient(const std::vector<Candidate>& sizes) const {
  Candidate best = sizes.front();
  double least = best.step.seconds;
  for (const Candidate& one : sizes) {
    if (one.step.seconds >= least) continue;
    least = one.step.seconds;
    if (efficiency(one) >= policy_.target_efficiency) best = one;
  }
  return best;
}

/// To a size that was never tried, perhaps back again.
int Decider::changesTo(const Candidate& one) const {
  if (one.workers == present_.workers) return 0;
  return one.step.is_observed ? 1 : 2;
}

/// Until the end, with the changes.
double Decider::leftWithChange(const Candidate& one) const {
  return left(one) + changesTo(one) * change_seconds_;
}

Candidate Decider::smallestAsFast(const std::vector<Candidate>& sizes) const {
  const auto end = [this](const Candidate& one) { return leftWithChange(one); };
  const double soonest = end(*std::ranges::min_element(sizes, {}, end));
  return *std::ranges::find_if(sizes, [&](const Candidate& one) {
    const bool may_differ = one.workers == present_.workers || !one.step.is_observed;
    return end(one) <= (may_differ ? kAsFast : kAsFastObserved) * soonest;
  });
}

Candidate Decider::choose(const std::vector<Candidate>& sizes) const {
  if (policy_.goal == Goal::kEfficiency) return mostEfficient(sizes);
  if (policy_.goal == Goal::kThroughput) return smallestAsFast(sizes);
  std::vector<Candidate> fit;
  for (const Candidate& one : sizes)
    if (fits(one)) fit.push_back(one);
  const bool is_deadline = policy_.goal == Goal::kDeadline;
  Candidate best = is_deadline == fit.empty()
                       ? fastest(is_deadline ? sizes : fit)
                       : *std::ranges::min_element(is_deadline ? fit : sizes, {}, &Candidate::cost);
  // One that is cheaper and faster keeps all that this one keeps, even if less is known of it.
  for (const Candidate& one : sizes)
    if (one.step.seconds <= best.step.seconds && one.cost() <= best.cost()) best = one;
  return best;
}

/// What the present size would do that must not be: whatever a change costs.
Reason Decider::urgentReason() const {
  switch (policy_.goal) {
    case Goal::kDeadline: return fits(present_) ? Reason::kRightSize : Reason::kDeadline;
    case Goal::kCost: return fits(present_) ? Reason::kRightSize : Reason::kBudget;
    case Goal::kEfficiency:
      return efficiency(present_) < (1 - kTargetMissed) * policy_.target_efficiency
                 ? Reason::kTarget
                 : Reason::kRightSize;
    case Goal::kThroughput: break;
  }
  return Reason::kRightSize;
}

/// Noise alone must not bring about a change back to a size that was left soon, nor one change
/// after another.
bool Decider::isUrgent(const Candidate& wanted) const {
  const bool may_be_noise =
      changes() >= kMostChanges || (wanted.step.is_observed && !wasObservedLong(wanted));
  const double less = may_be_noise ? 1 / kFasterThanNoise : 1;
  switch (urgentReason()) {
    case Reason::kDeadline: return left(wanted) + change_seconds_ < less * left(present_);
    case Reason::kBudget:
      return left(wanted) * wanted.rate + change_seconds_ * present_.rate <
             less * left(present_) * present_.rate;
    case Reason::kTarget: return efficiency(wanted) > efficiency(present_);
    default: return false;
  }
}

/// Whether a change saves more until the end than it costs.
bool Decider::isWorth(const Candidate& wanted, Decision& decision) const {
  if (wanted.workers < present_.workers) {
    decision.reason = Reason::kSavesCost;
    decision.saves = left(present_) * present_.rate - left(wanted) * wanted.rate;
    return decision.saves > kWorth * change_seconds_ * present_.rate;
  }
  const double faster = wanted.step.is_observed ? kFasterThanNoise : 1;
  decision.reason = Reason::kSavesTime;
  decision.saves = left(present_) - left(wanted);
  return decision.saves > kWorth * change_seconds_ &&
         present_.step.seconds > faster * wanted.step.seconds;
}

Reason Decider::rightReason() const {
  return slowdown(present_.workers) > 1 ? Reason::kStraggler : Reason::kRightSize;
}

/// Whether the goal is one of sizes alone. Where time or money run out the right size changes.
bool Decider::isOfSizes() const {
  return policy_.goal == Goal::kThroughput || policy_.goal == Goal::kEfficiency;
}

bool Decider::isSettled() const {
  const Memory& memory = given_.memory;
  const bool is_in_bounds = min_ <= present_.workers && present_.workers <= most_;
  return isOfSizes() && is_in_bounds && memory.settled_step_seconds > 0 && memory.most == most_ &&
         urgentReason() == Reason::kRightSize;
}

Decision Decider::staying() const {
  Decision decision;
  decision.workers = present_.workers;
  decision.wanted = present_.workers;
  return decision;
}

/// Where time or money run out, the last changes are kept for when they do.
int Decider::mostChanges() const {
  if (isOfSizes()) return kMostChanges;
  return policy_.goal == Goal::kDeadline ? kMostChanges - 1 : kMostChanges - 2;
}

/// Before this size, or any, was observed.
Decision Decider::unmeasured() const {
  Decision decision = staying();
  const auto sizes = usefulSizes(parts_, min_, most_);
  if (present_.workers > most_) {
    decision.workers = sizes.back();
    decision.reason = present_.workers > max_ ? Reason::kBounds : Reason::kRoom;
  } else if (present_.workers < min_) {
    decision.workers = min_;
    decision.reason = Reason::kBounds;
  }
  decision.wanted = decision.workers;
  return decision;
}

/// For how long a size is observed before what must not wait is decided. Of a deadline, for which
/// a size was chosen with little to spare, some reports say little.
double Decider::urgentSeconds() const {
  const bool is_first = policy_.goal != Goal::kDeadline || changes() == 0;
  return (is_first ? kUrgentShare : 1) * policy_.stabilization_seconds;
}

/// Of the size that the policy wants, whether it is time for it.
Decision Decider::gated(const Candidate& wanted) const {
  Decision stay = staying();
  stay.wanted = wanted.workers;
  Decision change = stay;
  change.workers = wanted.workers;
  const auto with = [](Decision decision, Reason reason) {
    decision.reason = reason;
    return decision;
  };
  if (present_.workers > max_ || present_.workers < min_) return with(change, Reason::kBounds);
  if (present_.workers > most_) return with(change, Reason::kRoom);
  const Observation* const own = given_.memory.find(present_.workers);
  const bool is_measured = own != nullptr && (own->steps >= kLeastSteps ||
                                              isTelling(*own, policy_.stabilization_seconds));
  if (!is_measured || elapsed_ < urgentSeconds()) return with(stay, Reason::kMeasuring);
  if (wanted.workers != present_.workers && isUrgent(wanted)) return with(change, urgentReason());
  if (given_.memory.odd_reports > 0 || given_.memory.is_straggler_odd)
    return with(stay, Reason::kMeasuring);
  if (elapsed_ < policy_.stabilization_seconds)
    return with(stay,
                wanted.workers == present_.workers ? Reason::kMeasuring : Reason::kStabilizing);
  stay.is_settled = isOfSizes();
  if (wanted.workers == present_.workers) return with(stay, rightReason());
  if (changes() < mostChanges() && isWorth(wanted, change)) return change;
  return with(stay, Reason::kNotWorth);
}

/// With what is told of every decision.
Decision Decider::finished(Decision decision) const {
  const Candidate taken = candidate(decision.workers);
  decision.step = taken.step;
  decision.most = most_;
  if (slowdown(decision.workers) > 1) decision.straggler = given_.memory.straggler;
  const double change = decision.workers == present_.workers ? 0 : change_seconds_;
  if (policy_.goal == Goal::kDeadline && !observations_.empty())
    decision.late_seconds = std::max(0.0, now_ + change + left(taken) - policy_.deadline_seconds);
  if (policy_.goal == Goal::kCost && policy_.prices != Prices{} && !observations_.empty())
    decision.over_budget = std::max(0.0, change * present_.rate + left(taken) * taken.rate - has());
  decision.look_again = now_ + kLookAgain;
  const double stable = now_ - elapsed_ + policy_.stabilization_seconds;
  if (stable > now_) decision.look_again = std::min(decision.look_again, stable);
  if (room_until_ > now_) decision.look_again = std::min(decision.look_again, room_until_);
  return decision;
}

Decision Decider::decide() const {
  if (steps_left_ <= 0) {
    Decision done = staying();
    done.reason = Reason::kDone;
    return finished(done);
  }
  if (observations_.empty()) return finished(unmeasured());
  if (isSettled()) {
    Decision settled = staying();
    settled.reason = rightReason();
    return finished(settled);
  }
  return finished(gated(choose(candidates())));
}

}  // namespace

double Prices::of(double worker_seconds, double server_seconds) const {
  constexpr double kSecondsPerHour = 3600;
  return (worker_seconds * worker_hour + server_seconds * server_hour) / kSecondsPerHour;
}

bool isChange(Reason reason) {
  return reason >= Reason::kSavesTime;
}

Decision decide(const Policy& policy, const Situation& situation) {
  return Decider(policy, situation).decide();
}

void remember(Memory& memory, const Decision& decision) {
  if (decision.most != memory.most) reopen(memory);
  memory.most = decision.most;
  if (isChange(decision.reason)) {
    memory.settled_step_seconds = 0;
    ++memory.changes;
  } else if (decision.is_settled) {
    memory.settled_step_seconds = decision.step.seconds;
  }
}

}  // namespace sumac::autoscaling
