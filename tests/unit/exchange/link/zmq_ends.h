#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/link/zmq_link.h"

namespace sumac::link::zmq_link_test {

using std::chrono::milliseconds;

inline constexpr std::uint64_t kJob = 42;
inline const Member kServer{{Role::kServer, 0}, 1001};
inline const Member kWorker{{Role::kWorker, 3}, 1002};
inline const Peer kToServer{kServer.slot, Lane::kControl};
inline const Peer kToWorker{kWorker.slot, Lane::kControl};

/// Writes down what a link tells.
class Recorder final : public TransportHandler {
 public:
  void onMessage(Peer from, const wire::Header& header, const PayloadPtr& payload) override {
    peers.push_back(from);
    headers.push_back(header);
    texts.emplace_back(asText(bytesOf(payload)));
    on_message();
  }
  void onDamaged(Peer from, Incarnation incarnation) override {
    damaged.emplace_back(from, incarnation);
  }
  void onPeerUp(Peer /*peer*/) override {
    ++ups;
    on_up();
  }
  void onPeerDown(Peer /*peer*/, const std::string& /*why*/) override { ++downs; }

  std::vector<Peer> peers;
  std::vector<wire::Header> headers;
  std::vector<std::string> texts;
  std::vector<std::pair<Peer, Incarnation>> damaged;
  std::function<void()> on_message = [] {};
  std::function<void()> on_up = [] {};
  int ups = 0;
  int downs = 0;
};

/// A link and what it told.
struct End {
  std::unique_ptr<ZmqLink> link;
  Recorder seen;
};

inline End openEnd(Context& context, const Member& self, const std::string& listen,
                   std::uint64_t job = kJob) {
  auto link = ZmqLink::open(context, {job, self, listen}, Log::discarding());
  BOOST_REQUIRE(link);
  return {std::move(link).value(), {}};
}

inline bool send(End& from, Peer to, const wire::Header& header, BytesView payload) {
  return from.link->transmit(to, header, makePayload(payload));
}

inline void runOnce(const std::vector<End*>& ends) {
  for (End* end : ends) {
    if (end->link) end->link->poll(milliseconds(2), end->seen);
  }
}

/// Lets the ends work until `condition` holds; the suite's timeout ends a test where it never does.
inline void runUntil(const std::vector<End*>& ends, const std::function<bool()>& condition) {
  while (!condition())
    runOnce(ends);
}

inline wire::Header message(const Member& from,
                            wire::MessageType type = wire::MessageType::kProgress) {
  wire::Header header;
  header.type = type;
  header.job = kJob;
  header.sender = from;
  return header;
}

/// A server that listens and a worker connected to it.
struct Pair {
  Context context;
  End server;
  End worker = openEnd(context, kWorker, "");

  explicit Pair(const std::string& listen = "tcp://127.0.0.1:0")
      : server(openEnd(context, kServer, listen)) {
    worker.link->connect(kToServer, server.link->endpoint(), /*expected=*/0);
    runUntil({&server, &worker}, [this] { return worker.seen.ups == 1; });
  }
  void run(const std::function<bool()>& condition) { runUntil({&server, &worker}, condition); }
};

}  // namespace sumac::link::zmq_link_test
