#include "exchange/coordinator/membership_change.h"

#include <algorithm>

namespace sumac {

void MembershipChange::plan(TimePoint now) {
  if (state_ != State::kNone) return;
  state_ = State::kGathering;
  since_ = now;
}

ChangeOrder MembershipChange::lost(Slot member) {
  const ChangeOrder order = forget(member);
  return state_ == State::kHalting ? order : halt();
}

ChangeOrder MembershipChange::forget(Slot member) {
  awaited_.erase(member);
  begun_.erase(member);
  halted_.erase(member);
  return count();
}

ChangeOrder MembershipChange::halt() {
  if (state_ == State::kHalting) return {};
  state_ = State::kHalting;
  const ChangeOrder over = count();
  return over.kind == ChangeOrder::Kind::kIssue ? over : ChangeOrder{ChangeOrder::Kind::kHaltNow};
}

ChangeOrder MembershipChange::prepared(Slot worker, Step begun) {
  if (state_ != State::kVoting || !awaited_.contains(worker)) return {};
  begun_[worker] = begun;
  return count();
}

ChangeOrder MembershipChange::halted(Slot worker, std::optional<Step> done) {
  const bool is_asked = state_ == State::kFinishing || state_ == State::kHalting;
  if (!is_asked || !awaited_.contains(worker)) return {};
  halted_[worker] = done;
  return count();
}

/// Whether all that are awaited have said what they were asked for.
ChangeOrder MembershipChange::count() {
  const std::size_t said = state_ == State::kVoting ? begun_.size() : halted_.size();
  if (awaited_.empty() || said < awaited_.size()) return {};
  if (state_ != State::kVoting) return {ChangeOrder::Kind::kIssue};
  state_ = State::kFinishing;
  last_ = std::ranges::max_element(begun_, {}, &std::pair<const Slot, Step>::second)->second;
  return {ChangeOrder::Kind::kHaltAfter, last_};
}

ChangeOrder MembershipChange::tick(TimePoint now) {
  if (state_ == State::kGathering && now - since_ >= kGather) {
    state_ = State::kVoting;
    since_ = now;
    return {ChangeOrder::Kind::kPrepare};
  }
  const bool is_planned = state_ == State::kVoting || state_ == State::kFinishing;
  return is_planned && now - since_ >= kPatience ? halt() : ChangeOrder{};
}

ChangeOrder MembershipChange::current() const {
  switch (state_) {
    case State::kVoting: return {ChangeOrder::Kind::kPrepare};
    case State::kFinishing: return {ChangeOrder::Kind::kHaltAfter, last_};
    case State::kHalting: return {ChangeOrder::Kind::kHaltNow};
    default: return {};
  }
}

}  // namespace sumac
