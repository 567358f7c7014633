#include "exchange/link/curve.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/units.h"
#include "exchange/link/authenticator.h"
#include "exchange/link/routing_id.h"
#include "exchange/link/sockets.h"
#include "exchange/link/zmq_link.h"
#include "tests/support/job_keyring.h"

namespace sumac::link::curve_test {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kJob = 42;
const Member kServer{{Role::kServer, 0}, 1001};
const Member kWorker{{Role::kWorker, 1}, 1002};
const Peer kToServer{kServer.slot, Lane::kControl};
const Peer kToWorker{kWorker.slot, Lane::kControl};

/// Writes down what a link tells.
class Recorder final : public TransportHandler {
 public:
  void onMessage(Peer from, const wire::Header& /*header*/, const PayloadPtr& payload) override {
    entries.push_back(toString(from.slot) + ": " + std::string(asText(bytesOf(payload))));
  }
  void onDamaged(Peer /*from*/, Incarnation /*incarnation*/) override {}
  void onPeerUp(Peer /*peer*/) override { ++ups; }
  void onPeerDown(Peer /*peer*/, const std::string& /*why*/) override { ++downs; }

  std::vector<std::string> entries;
  int ups = 0;
  int downs = 0;
};

struct End {
  std::unique_ptr<ZmqLink> link;
  Recorder seen;
};

bool send(End& from, Peer to, const wire::Header& header, BytesView payload) {
  return from.link->transmit(to, header, makePayload(payload));
}

wire::Header message(const Member& from) {
  wire::Header header;
  header.type = wire::MessageType::kProgress;
  header.job = kJob;
  header.sender = from;
  return header;
}

/// A server that listens with keys, and what others need to come to it.
struct Fixture {
  JobKeys keys = makeJobKeys(/*logical_workers=*/2, /*servers=*/2).value();
  JobKeys of_another_job = makeJobKeys(/*logical_workers=*/2, /*servers=*/2).value();
  Context context;
  End server = open(kServer, "tcp://127.0.0.1:0", keyringOf(keys, kServer.slot));

  End open(const Member& self, const std::string& listen,
           const std::shared_ptr<const Keyring>& ring) {
    return {ZmqLink::open(context, {kJob, self, listen, ring}, Log::discarding()).value(), {}};
  }
  /// A worker on its way to the server.
  End openWorker(const std::shared_ptr<const Keyring>& ring) {
    End worker = open(kWorker, "", ring);
    worker.link->connect(kToServer, server.link->endpoint(), /*expected=*/0);
    return worker;
  }
  const Statistics& counted() const { return server.link->statistics(); }

  /// Lets the ends work until `condition` holds; the suite's timeout ends a test where it never
  /// does. A handshake that nobody answers takes 5 s.
  static void runUntil(const std::vector<End*>& ends, const std::function<bool()>& condition) {
    while (!condition()) {
      for (End* end : ends) {
        if (end->link) end->link->poll(milliseconds(2), end->seen);
      }
    }
  }
  void runUntilRefused(End& other) {
    runUntil({&server, &other}, [this] { return counted().strangers >= 1; });
    for (int i = 0; i < 50; ++i) {  // it has its chance: most try again after 50 ms
      server.link->poll(milliseconds(2), server.seen);
      other.link->poll(milliseconds(2), other.seen);
    }
    BOOST_TEST(other.seen.ups == 0);
    BOOST_TEST(server.seen.entries.empty());
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(curve, *boost::unit_test::timeout(60))

BOOST_FIXTURE_TEST_CASE(carries_messages_between_members_both_ways, Fixture) {
  End worker = openWorker(keyringOf(keys, kWorker.slot));
  runUntil({&server, &worker}, [&] { return worker.seen.ups == 1; });

  send(worker, kToServer, message(kWorker), asBytes("hello"));
  runUntil({&server, &worker}, [&] { return !server.seen.entries.empty(); });
  send(server, kToWorker, message(kServer), asBytes("welcome"));
  runUntil({&server, &worker}, [&] { return !worker.seen.entries.empty(); });

  BOOST_TEST(server.seen.entries.front() == "worker 1: hello");
  BOOST_TEST(worker.seen.entries.front() == "server 0: welcome");
  BOOST_TEST(counted().strangers == 0U);
}

BOOST_FIXTURE_TEST_CASE(refuses_and_counts_who_has_keys_of_another_job, Fixture) {
  // It knows the server's key, which is no secret: its own is what does not stand in the keyring.
  JobKeys forged = makeJobKeys(/*logical_workers=*/2, /*servers=*/2).value();
  forged.slots[0].pair.public_key = keys.slots[0].pair.public_key;
  End stranger = openWorker(keyringOf(forged, kWorker.slot));

  runUntilRefused(stranger);
}

BOOST_FIXTURE_TEST_CASE(refuses_and_counts_who_does_not_know_the_servers_key, Fixture) {
  End stranger = openWorker(keyringOf(of_another_job, kWorker.slot));

  runUntilRefused(stranger);
}

BOOST_FIXTURE_TEST_CASE(refuses_and_counts_who_has_no_key, Fixture) {
  End plain = openWorker(nullptr);

  runUntilRefused(plain);
}

BOOST_FIXTURE_TEST_CASE(says_nothing_to_a_server_in_the_clear, Fixture) {
  server = open(kServer, "tcp://127.0.0.1:0", nullptr);
  zmq::socket_t watched(context.native(), zmq::socket_type::dealer);
  const auto ring = keyringOf(keys, kWorker.slot);
  secureDialler(watched, *ring, *ring->keyOf(kServer.slot));
  watched.set(zmq::sockopt::linger, 0);
  Monitor monitor(context.native(), watched,
                  ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED |
                      ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
  watched.connect(server.link->endpoint());

  std::optional<std::uint16_t> event;
  runUntil({&server}, [&] { return (event = monitor.nextEvent()).has_value(); });

  BOOST_TEST(*event != ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
}

BOOST_FIXTURE_TEST_CASE(speaks_only_to_whom_holds_the_key_of_the_peer_it_asked_for, Fixture) {
  const Member other{{Role::kServer, 1}, 1003};
  server = open(other, "tcp://127.0.0.1:0", keyringOf(keys, other.slot));
  End worker = openWorker(keyringOf(keys, kWorker.slot));  // that takes it for server 0

  runUntilRefused(worker);
}

BOOST_FIXTURE_TEST_CASE(refuses_and_counts_a_member_that_speaks_for_another_slot, Fixture) {
  Member posed = kWorker;
  posed.slot.index = 0;
  const auto ring = keyringOf(keys, kWorker.slot);
  zmq::socket_t impostor(context.native(), zmq::socket_type::dealer);
  secureDialler(impostor, *ring, *ring->keyOf(kServer.slot));
  impostor.set(zmq::sockopt::linger, 0);
  impostor.set(zmq::sockopt::routing_id, encode(RoutingId{kJob, posed, Lane::kControl}));
  impostor.connect(server.link->endpoint());

  wire::Header join = message(posed);
  join.type = wire::MessageType::kJoin;
  BOOST_REQUIRE(sendMessage(impostor, join, makePayload(asBytes("let me in"))));
  runUntil({&server}, [&] { return counted().rejectedFor(wire::Rejection::kKey) == 1; });

  BOOST_TEST(server.seen.entries.empty());
  BOOST_TEST(counted().messages_received == 0U);
}

BOOST_FIXTURE_TEST_CASE(takes_a_peer_without_a_key_for_one_that_is_away, Fixture) {
  End worker = openWorker(keyringOf(keys, kWorker.slot));
  const Peer unknown{{Role::kServer, 7}, Lane::kData};

  worker.link->connect(unknown, server.link->endpoint(), /*expected=*/0);

  BOOST_TEST(!send(worker, unknown, message(kWorker), {}));
}

BOOST_FIXTURE_TEST_CASE(lets_a_member_in_again_after_the_server_was_away, Fixture) {
  End worker = openWorker(keyringOf(keys, kWorker.slot));
  runUntil({&server, &worker}, [&] { return worker.seen.ups == 1; });
  const std::string endpoint = server.link->endpoint();

  server.link.reset();
  runUntil({&worker}, [&] { return worker.seen.downs == 1; });
  runUntil({&worker}, [&] {  // the port is free a moment after the socket is closed
    const ZmqLinkOptions options{kJob, kServer, endpoint, keyringOf(keys, kServer.slot)};
    auto again = ZmqLink::open(context, options, Log::discarding());
    const bool is_open = again.has_value();
    if (is_open) server.link = std::move(again).value();
    return is_open;
  });
  runUntil({&server, &worker}, [&] { return worker.seen.ups == 2; });

  send(worker, kToServer, message(kWorker), asBytes("back"));
  runUntil({&server, &worker}, [&] { return !server.seen.entries.empty(); });
  BOOST_TEST(server.seen.entries.front() == "worker 1: back");
}

BOOST_FIXTURE_TEST_CASE(lets_nobody_in_where_no_authenticator_answers, Fixture) {
  Context without;
  const auto ring = keyringOf(keys, kServer.slot);
  zmq::socket_t listener(without.native(), zmq::socket_type::router);
  secureListener(listener, *ring, "sumac-1");
  listener.set(zmq::sockopt::linger, 0);
  listener.set(zmq::sockopt::handshake_ivl, 200);  // ms, of two connections that come to nothing
  listener.bind("tcp://127.0.0.1:0");
  End worker = open(kWorker, "", keyringOf(keys, kWorker.slot));
  Monitor monitor(without.native(), listener, ZMQ_EVENT_ALL);
  worker.link->connect(kToServer, listener.get(zmq::sockopt::last_endpoint), /*expected=*/0);

  bool let_in = false;
  int left = 0;  // connections that ended
  runUntil({&worker}, [&] {
    while (const auto event = monitor.nextEvent()) {
      let_in = let_in || event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
      if (event == ZMQ_EVENT_DISCONNECTED || (*event & 0xF000U) != 0) ++left;
    }
    return let_in || left >= 2;
  });

  BOOST_TEST(!let_in);
  BOOST_TEST(worker.seen.ups == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::curve_test
