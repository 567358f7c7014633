#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/link/lanes.h"

namespace sumac::link::lanes_test {

using std::chrono::milliseconds;
using wire::Header;
using wire::MessageType;

inline const Member kSelf{{Role::kServer, 0}, 10};
inline const Member kWorker{{Role::kWorker, 1}, 20};
inline constexpr Peer kData{{Role::kWorker, 1}, Lane::kData};
inline constexpr Peer kControl{{Role::kWorker, 1}, Lane::kControl};

struct FakeTransport final : Transport {
  void connect(Peer peer, const std::string& /*endpoint*/, Incarnation expected) override {
    connected.push_back(peer);
    processes.push_back(expected);
  }
  void await(Peer peer, Incarnation incarnation) override {
    awaited.push_back(peer);
    processes.push_back(incarnation);
  }
  void reopen(Peer peer) override { reopened.push_back(peer); }
  void close(Peer peer) override { closed.push_back(peer); }
  bool transmit(Peer to, const Header& header, const PayloadPtr& /*payload*/) override {
    if (!up) return false;
    peers.push_back(to);
    sent.push_back(header);
    return true;
  }
  bool answer(const Member& to, const Header& header, const PayloadPtr& payload) override {
    answered.push_back(to);
    return transmit({to.slot, Lane::kControl}, header, payload);
  }
  void onTick(TimePoint /*now*/) override { ++ticks; }

  bool up = true;
  int ticks = 0;
  std::vector<Peer> connected;
  std::vector<Peer> awaited;
  std::vector<Incarnation> processes;  // of both
  std::vector<Member> answered;
  std::vector<Peer> reopened;
  std::vector<Peer> closed;
  std::vector<Peer> peers;
  std::vector<Header> sent;
};

struct Fixture : Handler {
  FakeTransport transport;
  Lanes lanes{7, kSelf, transport, Log::discarding()};
  TimePoint now{std::chrono::hours(1)};

  std::vector<std::string> texts;
  std::vector<Peer> ups;
  std::vector<Peer> rooms;
  std::vector<Peer> suspected;
  int downs = 0;
  bool keeps = false;
  std::optional<Peer> other_keeps;
  std::function<void()> on_event = [] {};

  Fixture() {
    lanes.deliverTo(*this);
    lanes.onTick(now);
  }

  void onMessage(Peer from, const Header& /*header*/, const PayloadPtr& payload) override {
    texts.emplace_back(asText(bytesOf(payload)));
    if (keeps) lanes.withhold(from);
    if (other_keeps) lanes.withhold(*other_keeps);
    on_event();
  }
  void onPeerUp(Peer peer) override {
    ups.push_back(peer);
    on_event();
  }
  void onPeerDown(Peer /*peer*/, const std::string& /*why*/) override {
    ++downs;
    on_event();
  }
  void onRoom(Peer peer) override {
    rooms.push_back(peer);
    on_event();
  }
  void onSuspected(Peer peer, const std::string& /*why*/) override {
    suspected.push_back(peer);
    on_event();
  }

  static Header message(MessageType type, std::uint64_t sequence = 0,
                        Incarnation incarnation = kWorker.incarnation) {
    Header header;
    header.type = type;
    header.sender = {kWorker.slot, incarnation};
    header.connection = 1;
    header.sequence = sequence;
    if (type != MessageType::kHello) return header;
    header.first = kSelf.incarnation;
    return header;
  }
  void pass(Duration time) {
    for (const TimePoint until = now + time; now < until;)
      lanes.onTick(now += milliseconds(20));
  }
  void hello(Incarnation incarnation = kWorker.incarnation) {
    lanes.onMessage(kData, message(MessageType::kHello, 0, incarnation), {});
  }
  /// A lane that is open.
  void open(Incarnation incarnation = kWorker.incarnation) {
    lanes.await(kData, incarnation);
    hello(incarnation);
  }
};

}  // namespace sumac::link::lanes_test
