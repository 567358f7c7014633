#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "exchange/link/lane_end.h"

/// Both ends of a lane, played by hand, for the tests of LaneEnd.
namespace sumac::link::lane_pair {

using std::chrono::milliseconds;
using wire::Header;
using wire::MessageType;
using Values = std::vector<std::uint64_t>;

struct InFlight {
  Header header;
  PayloadPtr payload;
};

/// One end, what it has asked for, and what it was given.
struct Party final : LaneActions {
  explicit Party(LaneEnd::Side side, std::uint32_t credit = LaneEnd::kCredit)
      : end(side, Header{}, *this, TimePoint{}, credit) {}

  bool transmit(const Header& header, const PayloadPtr& payload) override {
    if (!connected) return false;
    out.push_back({header, payload});
    return true;
  }
  void reopen(const std::string& why) override { reopens.push_back(why); }
  void suspect(const std::string& why) override { suspicions.push_back(why); }

  void send(std::uint64_t value, std::size_t size = 0) {
    Header header;
    header.type = MessageType::kPush;
    header.value = value;
    end.send(header, makePayload(Bytes(size)));
  }
  std::size_t count(MessageType type) const {
    std::size_t n = 0;
    for (const InFlight& one : out)
      n += one.header.type == type ? 1U : 0U;
    return n;
  }

  LaneEnd end;
  bool connected = false;
  bool keeps_credit = false;
  std::deque<InFlight> out;
  std::vector<std::uint64_t> taken;  // values, in order
  std::vector<std::string> reopens;
  std::vector<std::string> suspicions;
};

/// Both ends and the time. Connections are up or not; run() delivers all that is under way.
struct Fixture {
  Party dialler{LaneEnd::Side::kDials};
  Party listener{LaneEnd::Side::kListens};
  TimePoint now{};
  std::size_t answered = 0;  // of dialler.reopens
  // Whether a message arrives; the second says where it was sent from.
  std::function<bool(const InFlight&, const Party&)> passes = [](const auto&, const auto&) {
    return true;
  };

  Fixture() { connect(); }

  void connect() {
    dialler.out.clear();
    listener.out.clear();
    dialler.connected = listener.connected = true;
    dialler.end.onUp();
    run();
  }
  void cut() {
    dialler.connected = listener.connected = false;
    dialler.out.clear();
    listener.out.clear();
    dialler.end.onDown();
  }
  static void give(Party& to, const InFlight& one) {
    const std::size_t size = bytesOf(one.payload).size();
    if (!to.end.onMessage(one.header, size)) return;
    to.taken.push_back(one.header.value);
    if (!to.keeps_credit) to.end.takenOver(size);
  }
  bool deliverOne(Party& from, Party& to) {
    if (from.out.empty()) return false;
    const InFlight one = from.out.front();
    from.out.pop_front();
    if (passes(one, from)) give(to, one);
    return true;
  }
  void run() {
    while (deliverOne(dialler, listener) || deliverOne(listener, dialler)) {
    }
  }
  /// Ticks both ends as a reactor does, and opens connections as they are asked for.
  void pass(Duration time, bool answers_reopen = true) {
    for (const TimePoint until = now + time; now < until;) {
      now += milliseconds(20);
      dialler.end.onTick(now);
      listener.end.onTick(now);
      run();
      while (answers_reopen && answered < dialler.reopens.size()) {
        answered = dialler.reopens.size();
        connect();
      }
    }
  }
};

}  // namespace sumac::link::lane_pair
