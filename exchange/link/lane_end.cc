#include "exchange/link/lane_end.h"

#include <algorithm>
#include <utility>

// Invariants: kept_ holds the messages (sent_ - kept_.size(), sent_]; credit under way is
// spent_ - repaid_, never negative and never below kept_units_, the cost of kept_; what is told is
// received_ and returned_ at that time.

namespace sumac::link {
namespace {

using wire::MessageType;

constexpr Duration kLateTick = std::chrono::seconds(1);      // we did not run ourselves
constexpr Duration kMostSlowness = std::chrono::seconds(2);  // so a first silence lasts 4 s at most
constexpr Duration kLaterSilence = std::chrono::seconds(3);  // three failures within 10 s
constexpr Duration kMemory = std::chrono::minutes(1);  // of slowness: several steps of a full link
constexpr std::uint32_t kBackwards = 1U << 31U;        // a difference modulo 2^32 below zero

}  // namespace

LaneEnd::LaneEnd(Side side, const wire::Header& base, LaneActions& actions, TimePoint now,
                 std::uint32_t credit)
    : side_(side),
      credit_(credit),
      base_(base),
      actions_(&actions),
      now_(now),
      connection_(base.connection),
      succeeded_(now),
      told_(now),
      well_(now) {
  restartTimers();
}

void LaneEnd::restartTimers() {
  since_ = heard_ = now_;
}

std::uint32_t LaneEnd::unitsOf(std::size_t size) {
  return static_cast<std::uint32_t>(std::max<std::size_t>((size + kUnit - 1) / kUnit, 1));
}

// Connections

void LaneEnd::onUp() {
  if (state_ == State::kSuspected) return;
  if (isFutile()) return suspect("connections break at once");
  ++connections_;
  ++connection_;
  state_ = State::kOpening;
  reopen_due_ = false;
  restartTimers();
  tell(MessageType::kHello);
}

void LaneEnd::onDown() {
  if (state_ == State::kSuspected || state_ == State::kDown) return;
  state_ = State::kDown;
  restartTimers();
}

void LaneEnd::onDamaged() {
  if (state_ == State::kOpen || state_ == State::kOpening) fail("a damaged message");
}

bool LaneEnd::takeHello(const wire::Header& header) {
  const bool dials = side_ == Side::kDials;
  const bool is_answer = state_ == State::kOpening && header.connection == connection_;
  if (!dials && state_ == State::kOpen && header.connection == connection_) {
    hear();
    tell(MessageType::kHello);  // the first answer was lost
    return false;
  }
  if (dials ? !is_answer : header.connection <= connection_) return false;
  connection_ = header.connection;
  restartTimers();
  const bool has_less = header.acknowledged < sent_ - kept_.size();  // than it once had
  if (has_less || !takeTotals(header)) {
    state_ = State::kOpen;
    fail("the other end has lost its state");
    return false;
  }
  if (!dials) tell(MessageType::kHello);
  if (header.value <= received_ && kept_.empty()) succeed();
  open();
  return false;
}

void LaneEnd::open() {
  state_ = State::kOpen;
  was_open_ = true;
  for (Kept& one : kept_) {
    resent_ += one.was_sent ? 1U : 0U;
    one.was_sent = true;
    if (!transmit(one.header, one.payload)) return;
  }
}

/// The lane does what it is there for.
void LaneEnd::succeed() {
  connections_ = 0;
  succeeded_ = now_;
}

/// A connection that breaks is no failure as such; a job whose connections all break waits for
/// ever.
bool LaneEnd::isFutile() const {
  return connections_ > kFailures && now_ - succeeded_ >= (was_open_ ? kFutile : kFirstFutile);
}

void LaneEnd::fail(const std::string& why) {
  restartTimers();
  if (side_ == Side::kListens) {
    state_ = State::kLost;
    tell(MessageType::kReopen);
    return;
  }
  ++failures_;
  if (failures_ >= (was_open_ ? kFailures : kFirstFailures)) return suspect(why);
  state_ = State::kDown;
  ++reopened_;
  reopen_due_ = failures_ > 1;  // a burst of damage must not use up all tries at once
  if (!reopen_due_) actions_->reopen(why);
}

/// Nothing will arrive any more: who waits for its payloads to be let go must not wait for ever.
void LaneEnd::suspect(const std::string& why) {
  state_ = State::kSuspected;
  kept_.clear();
  kept_units_ = 0;
  actions_->suspect(why);
}

// Time

Duration LaneEnd::patience() const {
  const Duration pace = std::max(kQuiet, 2 * slowest_);
  return failures_ == 0 ? pace : std::min(pace, kLaterSilence);
}

void LaneEnd::onTick(TimePoint now) {
  const bool late = now - now_ > kLateTick;
  const bool is_quiet = told_ < now_;  // nothing was sent since the last tick
  now_ = now;
  if (late) {
    restartTimers();  // our pause says nothing about the network
    succeeded_ = now_;
  }
  if (late || (kept_.empty() && isOpen())) well_ = now_;
  judge();
  repeat(is_quiet);
}

void LaneEnd::judge() {
  if (state_ == State::kOpen && now_ - heard_ >= patience()) {
    if (side_ == Side::kListens) notePause();  // the next one will be waited for
    return fail("nothing was heard");
  }
  if (side_ == Side::kListens) return;
  if (state_ != State::kDown && state_ != State::kOpening) return;
  if (reopen_due_ && now_ - since_ >= kPause) {
    reopen_due_ = false;
    actions_->reopen("once more");
  }
  if (now_ - since_ >= patience()) fail("no connection");
}

void LaneEnd::repeat(bool is_quiet) {
  const bool is_due = now_ - told_ >= kBeat;
  if (state_ == State::kOpen) {
    // While messages go out, they tell the totals.
    const bool moved = received_ != told_received_ || returned_ != told_returned_;
    if (is_due || (moved && is_quiet)) tell(MessageType::kAcknowledge);
  } else if (state_ == State::kLost && is_due) {
    tell(MessageType::kReopen);
  } else if (state_ == State::kOpening && is_due) {
    tell(MessageType::kHello);
  }
}

// What arrives

bool LaneEnd::onMessage(const wire::Header& header, std::size_t size) {
  if (state_ == State::kSuspected) return false;
  if (header.type == MessageType::kHello) return takeHello(header);
  if (state_ != State::kOpen || header.connection != connection_) return false;
  hear();
  if (!takeTotals(header)) {
    fail("an acknowledgement of what was not sent");
    return false;
  }
  switch (header.type) {
    case MessageType::kReopen:
      if (side_ == Side::kDials) fail("the other end misses a message");
      return false;
    case MessageType::kAcknowledge:
      if (header.value > received_) {
        ++gaps_;
        fail("a message is missing");
      } else if (kept_.empty()) {
        failures_ = 0;
        succeed();
      }
      return false;
    case MessageType::kQuery:
    case MessageType::kMissing: return true;
    default: return takeNumbered(header, size);
  }
}

void LaneEnd::hear() {
  if (heard_ < now_) notePause();
  heard_ = now_;
}

/// Of the pace of the link: how long nothing was heard until now, which is after heard_. Of longer
/// pauses before, more is forgotten the longer this one is: all but a third in a minute.
void LaneEnd::notePause() {
  const Duration pause = std::min(now_ - heard_, kMostSlowness);
  slowest_ = std::max(pause, slowest_ - slowest_ / (kMemory / pause));
}

bool LaneEnd::isNumbered(MessageType type) {
  return type != MessageType::kQuery && type != MessageType::kMissing;
}

bool LaneEnd::takeNumbered(const wire::Header& header, std::size_t size) {
  if (header.sequence <= received_) return false;  // sent again, but not needed
  if (header.sequence != received_ + 1) {
    ++gaps_;
    fail("a message is missing");
    return false;
  }
  const std::uint32_t units = unitsOf(size);
  const std::uint32_t waiting = arrived_ - returned_;
  if (waiting > 0 && waiting + units > credit_) {
    fail("more than the credit");
    return false;
  }
  ++received_;
  arrived_ += units;
  failures_ = 0;
  succeed();
  return true;
}

void LaneEnd::takenOver(std::size_t size) {
  // A process that took over this slot has a lane of its own: what its predecessor sent is none of
  // it.
  returned_ += std::min(unitsOf(size), arrived_ - returned_);
  if (returned_ - told_returned_ >= credit_ / kTellPart && state_ == State::kOpen)
    tell(MessageType::kAcknowledge);
}

bool LaneEnd::takeTotals(const wire::Header& header) {
  const std::uint32_t under_way = spent_ - repaid_;
  const std::uint32_t repaid = header.credit - repaid_;
  if (repaid > kBackwards) return true;  // a copy of an older message
  if (header.acknowledged > sent_) return false;
  // What has not arrived was not taken over: its credit bounds what we keep.
  if (repaid > under_way || under_way - repaid < unitsKeptAfter(header.acknowledged)) return false;
  if (repaid > 0) room_freed_ = true;
  repaid_ = header.credit;
  acknowledge(header.acknowledged);
  return true;
}

/// The cost of the messages that an acknowledgement leaves to keep.
std::uint32_t LaneEnd::unitsKeptAfter(std::uint64_t sequence) const {
  std::uint32_t units = kept_units_;
  const std::uint64_t before = sent_ - kept_.size();
  for (std::uint64_t i = before; i < sequence; ++i)
    units -= unitsOf(bytesOf(kept_[i - before].payload).size());
  return units;
}

void LaneEnd::acknowledge(std::uint64_t sequence) {
  while (!kept_.empty() && sent_ - kept_.size() < sequence) {
    kept_units_ -= unitsOf(bytesOf(kept_.front().payload).size());
    kept_.pop_front();
    well_ = now_;
    failures_ = 0;
    succeed();
  }
}

// What is sent

bool LaneEnd::hasRoom(std::size_t size) const {
  const std::uint32_t under_way = spent_ - repaid_;
  return under_way == 0 || under_way + unitsOf(size) <= credit_;
}

bool LaneEnd::takeRoomFreed() {
  return std::exchange(room_freed_, false);
}

void LaneEnd::send(const wire::Header& header, PayloadPtr payload) {
  if (isSuspected()) return;
  if (!isNumbered(header.type)) {
    if (state_ == State::kOpen) transmit(header, payload);
    return;
  }
  if (kept_.empty() && isOpen()) well_ = now_;
  const std::uint32_t units = unitsOf(bytesOf(payload).size());
  spent_ += units;
  kept_units_ += units;
  kept_.push_back({header, std::move(payload), state_ == State::kOpen});
  kept_.back().header.sequence = ++sent_;
  if (state_ == State::kOpen) transmit(kept_.back().header, kept_.back().payload);
}

bool LaneEnd::transmit(wire::Header header, const PayloadPtr& payload) {
  header.connection = connection_;
  header.acknowledged = received_;
  header.credit = returned_;
  if (!actions_->transmit(header, payload)) {
    if (state_ != State::kOpening) {
      state_ = State::kDown;
      restartTimers();
    }
    return false;
  }
  told_ = now_;
  told_received_ = received_;
  told_returned_ = returned_;
  return true;
}

void LaneEnd::tell(MessageType type) {
  wire::Header header = base_;
  header.type = type;
  header.value = sent_;
  transmit(header, {});
}

}  // namespace sumac::link
