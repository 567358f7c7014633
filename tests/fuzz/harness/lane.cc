#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <vector>

#include "base/core/check.h"
#include "exchange/link/lane_end.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/script.h"

namespace sumac::fuzz {
namespace lane_play {
namespace {

using link::LaneEnd;
using std::chrono::milliseconds;
using wire::Header;
using wire::MessageType;

constexpr std::size_t kMostSteps = 1000;
constexpr std::size_t kMostRemembered = 64;  // messages that may come again

/// Payloads of all sizes that matter, made once.
const link::PayloadPtr& payload(unsigned which) {
  static const std::array<link::PayloadPtr, 4> kAll = {
      nullptr, link::makePayload(Bytes(LaneEnd::kUnit)),
      link::makePayload(Bytes(LaneEnd::kUnit + 1)), link::makePayload(Bytes(1024UL * 1024))};
  return kAll.at(which);
}

std::uint32_t unitsOf(std::size_t size) {
  return static_cast<std::uint32_t>(
      std::max<std::size_t>((size + LaneEnd::kUnit - 1) / LaneEnd::kUnit, 1));
}

struct Flight {
  Header header;
  std::size_t size = 0;
};

/// A number of messages and what they cost.
struct Total {
  std::uint64_t messages = 0;
  std::uint32_t units = 0;

  void add(std::size_t size) {
    ++messages;
    units += unitsOf(size);
  }
};

/// One end, and what it must keep to whoever is on the other side: messages are taken once and in
/// their order, what is kept or waits stays within the credit, a suspected lane is silent.
class End final : public link::LaneActions {
 public:
  explicit End(LaneEnd::Side side) : lane_(side, Header{}, *this, TimePoint{}) {}

  bool transmit(const Header& header, const link::PayloadPtr& bytes) override {
    SUMAC_CHECK(!suspected_);
    const std::size_t size = link::bytesOf(bytes).size();
    if (header.sequence > 0) {
      SUMAC_CHECK(header.sequence <= sizes_.size(), header.sequence);
      SUMAC_CHECK(header.value == header.sequence && size == sizes_[header.sequence - 1]);
    }
    if (connected) out.push_back({header, size});
    return connected;
  }
  void reopen(const std::string& why) override {
    SUMAC_CHECK(!suspected_ && !why.empty() && lane_.side() == LaneEnd::Side::kDials);
    connected = false;
    wants_connection = true;
    ++reopened;
  }
  void suspect(const std::string& why) override {
    SUMAC_CHECK(!suspected_ && !why.empty() && lane_.side() == LaneEnd::Side::kDials);
    suspected_ = true;
  }

  /// As sessions do: only with credit.
  void send(unsigned which) {
    const std::size_t size = link::bytesOf(payload(which)).size();
    if (!lane_.hasRoom(size)) return;
    if (!suspected_) {  // what such a lane is given goes nowhere
      sizes_.push_back(size);
      sent_.add(size);
    }
    Header header;
    header.type = MessageType::kPush;
    header.value = sizes_.size();
    lane_.send(header, payload(which));
    checkKept();
  }
  void receive(const Flight& one) {
    const bool is_taken = lane_.onMessage(one.header, one.size);
    checkKept();
    if (!is_taken) return;
    taken_.add(one.size);
    SUMAC_CHECK(one.header.sequence == taken_.messages, one.header.sequence, taken_.messages);
    waiting_.push_back(one.size);
    checkBound(taken_.units - taken_over_.units, waiting_.size());
  }
  bool takeOver() {
    if (waiting_.empty()) return false;
    taken_over_.add(waiting_.front());
    lane_.takenOver(waiting_.front());
    waiting_.pop_front();
    return true;
  }

  LaneEnd& lane() { return lane_; }
  bool isSuspected() const { return suspected_; }
  const Total& sent() const { return sent_; }
  const Total& taken() const { return taken_; }
  const Total& takenOver() const { return taken_over_; }

  std::deque<Flight> out;
  bool connected = false;
  bool wants_connection = false;
  int reopened = 0;

 private:
  /// A single message may be as large as it likes.
  static void checkBound(std::uint32_t units, std::size_t messages) {
    SUMAC_CHECK(units <= LaneEnd::kCredit || messages <= 1, units, messages);
  }
  void checkKept() {
    const std::size_t kept = lane_.unacknowledged();
    SUMAC_CHECK(kept <= sizes_.size(), kept);
    std::uint32_t units = 0;
    for (std::size_t i = sizes_.size() - kept; i < sizes_.size(); ++i)
      units += unitsOf(sizes_[i]);
    checkBound(units, kept);
  }

  LaneEnd lane_;
  std::vector<std::size_t> sizes_;   // of all that was sent
  std::deque<std::size_t> waiting_;  // sizes of what was taken, not taken over
  Total sent_;
  Total taken_;
  Total taken_over_;
  bool suspected_ = false;
};

/// Both ends, true to the protocol, and a network that is not.
class Pair {
 public:
  explicit Pair(Script& script) : script_(script) {}

  void step() {
    switch (script_.next(12)) {
      case 0: return pass(milliseconds(20));
      case 1: return pass(kPauses.at(script_.next(kPauses.size())));
      case 2: return deliver(script_.next(2));
      case 3: return deliverAll();
      case 4: return lose(script_.next(2));
      case 5: return damage(script_.next(2));
      case 6: return repeat(script_.next(2));
      case 7: return cut();
      case 8: return connect();
      case 9: end(script_.next(2)).takeOver(); return;
      default: return send(script_.next(2));
    }
  }

  /// From now on the network is good: all arrives, unless the lane is given up for what it was.
  void finish() {
    // Connections that come and go and carry nothing are given up, too (LaneEnd::kFutile).
    const bool was_good = dialler_.reopened == 0 && connections_ <= LaneEnd::kFailures;
    constexpr milliseconds kTick{20};
    constexpr std::chrono::seconds kMost{60};
    for (Duration time{}; time < kMost && !isDone(); time += kTick) {
      if (dialler_.wants_connection || !dialler_.connected) connect();
      deliverAll();
      while (dialler_.takeOver() || listener_.takeOver()) {
      }
      pass(kTick);
    }
    SUMAC_CHECK(!was_good || !dialler_.isSuspected());
    SUMAC_CHECK(isDone(), dialler_.sent().messages, listener_.taken().messages,
                listener_.sent().messages, dialler_.taken().messages);
  }

 private:
  static constexpr std::array<milliseconds, 4> kPauses = {milliseconds(100), milliseconds(500),
                                                          milliseconds(990), milliseconds(4000)};

  End& end(unsigned which) { return which == 0 ? dialler_ : listener_; }

  bool isDone() {
    return dialler_.isSuspected() ||
           (listener_.taken().messages == dialler_.sent().messages &&
            dialler_.taken().messages == listener_.sent().messages &&
            dialler_.lane().unacknowledged() == 0 && listener_.lane().unacknowledged() == 0);
  }
  void pass(Duration time) {
    now_ += time;
    dialler_.lane().onTick(now_);
    listener_.lane().onTick(now_);
  }
  void send(unsigned from) {
    end(from).send(script_.next(4));
    for (const unsigned one : {0U, 1U}) {
      const std::uint32_t under_way = end(one).sent().units - end(1 - one).takenOver().units;
      SUMAC_CHECK(under_way <= LaneEnd::kCredit, under_way);
    }
  }
  void give(unsigned from, const Flight& one) {
    if (from == 1 && !dialler_.connected) return;  // its socket is closed
    past_.at(from).push_back(one);
    if (past_.at(from).size() > kMostRemembered) past_.at(from).pop_front();
    end(1 - from).receive(one);
  }
  bool deliverOne(unsigned from) {
    if (end(from).out.empty()) return false;
    const Flight one = end(from).out.front();
    end(from).out.pop_front();
    give(from, one);
    return true;
  }
  void deliver(unsigned from) { deliverOne(from); }
  void deliverAll() {
    while (deliverOne(0) || deliverOne(1)) {
    }
  }
  void lose(unsigned from) {
    if (!end(from).out.empty()) end(from).out.pop_front();
  }
  void damage(unsigned from) {
    lose(from);
    if (from == 0 || dialler_.connected) end(1 - from).lane().onDamaged();
  }
  /// A message of this or of an earlier connection comes again.
  void repeat(unsigned from) {
    const std::deque<Flight>& past = past_.at(from);
    if (past.empty()) return;
    const Flight again = past.at(script_.next(kMostRemembered) % past.size());
    if (from == 0 || dialler_.connected) end(1 - from).receive(again);
  }
  void cut() {
    dialler_.connected = listener_.connected = false;
    listener_.out.clear();
    dialler_.lane().onDown();
  }
  /// What the dialler has sent may still arrive, of earlier connections too.
  void connect() {
    dialler_.connected = listener_.connected = true;
    dialler_.wants_connection = false;
    ++connections_;
    listener_.out.clear();
    dialler_.lane().onUp();
  }

  Script& script_;  // outlives us
  End dialler_{LaneEnd::Side::kDials};
  End listener_{LaneEnd::Side::kListens};
  std::array<std::deque<Flight>, 2> past_;
  TimePoint now_{};
  int connections_ = 0;
};

/// One end, and a peer that says what it likes.
class Alone {
 public:
  explicit Alone(Script& script)
      : script_(script),
        end_(script.next(2) == 0 ? LaneEnd::Side::kDials : LaneEnd::Side::kListens) {
    end_.connected = true;
  }

  void step() {
    switch (script_.next(8)) {
      case 0:
        now_ += milliseconds(script_.next(4) == 3 ? 1100 : 20);
        end_.lane().onTick(now_);
        break;
      case 1: connection(); break;
      case 2: end_.takeOver(); break;
      case 3:
      case 4: end_.send(script_.next(4)); break;
      default: message(); break;
    }
    end_.out.clear();
  }

 private:
  void connection() {
    const bool dials = end_.lane().side() == LaneEnd::Side::kDials;
    const unsigned what = script_.next(4);
    end_.connected = what != 1;
    if (what == 0) return end_.lane().onDamaged();
    if (!dials) return;
    what == 1 ? end_.lane().onDown() : end_.lane().onUp();
  }
  /// True, nearly true, or far from it.
  template <typename T>
  T near(T value) {
    switch (script_.next(8)) {
      case 0: return static_cast<T>(value + 1);
      case 1: return static_cast<T>(value - 1);
      case 2: return 0;
      case 3: return static_cast<T>(value + script_.next(256));
      case 4: return static_cast<T>(~T{0} - script_.next(2));
      default: return value;
    }
  }
  void message() {
    static constexpr std::array kTypes = {MessageType::kHello,  MessageType::kPush,
                                          MessageType::kPush,   MessageType::kAcknowledge,
                                          MessageType::kReopen, MessageType::kState};
    Flight one;
    one.header.type = kTypes.at(script_.next(kTypes.size()));
    one.header.connection = near(end_.lane().connection());
    one.header.sequence = near(end_.taken().messages + 1);
    one.header.acknowledged = near(end_.sent().messages);
    one.header.credit = near(end_.sent().units);
    one.header.value = near(end_.taken().messages);
    one.size = link::bytesOf(payload(script_.next(4))).size();
    end_.receive(one);
  }

  Script& script_;  // outlives us
  End end_;
  TimePoint now_{};
};

template <typename Play>
void act(Play& play, Script& script) {
  for (std::size_t i = 0; i < kMostSteps && !script.isOver(); ++i)
    play.step();
}

}  // namespace
}  // namespace lane_play

void lane(BytesView input) {
  Script script(input);
  if (script.next(2) == 1) {
    lane_play::Alone alone(script);
    return lane_play::act(alone, script);
  }
  lane_play::Pair pair(script);
  lane_play::act(pair, script);
  pair.finish();
}

}  // namespace sumac::fuzz
