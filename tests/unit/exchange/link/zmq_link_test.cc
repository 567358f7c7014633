#include "exchange/link/zmq_link.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <zmq.hpp>

#include "exchange/link/routing_id.h"
#include "exchange/link/sockets.h"
#include "exchange/wire/codec.h"
#include "tests/support/golden.h"
#include "tests/support/ipv6.h"
#include "tests/unit/exchange/link/zmq_ends.h"

namespace sumac::link::zmq_link_test {
namespace {

/// A socket of whoever wants to harm the server, or of another program.
zmq::socket_t aStranger(zmq::context_t& context, const std::string& endpoint,
                        const std::string& id) {
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::routing_id, id);
  socket.connect(endpoint);
  return socket;
}

void sendFrames(zmq::socket_t& socket, const std::vector<std::string>& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const bool more = i + 1 < frames.size();
    socket.send(zmq::buffer(frames[i]), more ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(zmq_link, *boost::unit_test::timeout(60))

BOOST_FIXTURE_TEST_CASE(carries_messages_both_ways_in_order, Pair) {
  send(worker, kToServer, message(kWorker), asBytes("one"));
  send(worker, kToServer, message(kWorker), {});
  run([this] { return server.seen.texts.size() == 2; });
  send(server, kToWorker, message(kServer, wire::MessageType::kRoster), asBytes("three"));
  run([this] { return worker.seen.texts.size() == 1; });

  BOOST_TEST((server.seen.texts == std::vector<std::string>{"one", ""}));
  BOOST_TEST((server.seen.peers.front() == kToWorker));
  BOOST_TEST(server.seen.headers.front().sender == kWorker);
  BOOST_TEST((worker.seen.peers.front() == kToServer));
  BOOST_TEST(worker.seen.texts.front() == "three");
}

// A send may take the signal of a message that has come: without another look, this would wait for
// as long as it may.
BOOST_FIXTURE_TEST_CASE(sends_do_not_hide_what_has_come, Pair) {
  send(worker, kToServer, message(kWorker), {});
  run([this] { return server.seen.texts.size() == 1; });
  send(server, kToWorker, message(kServer), asBytes("answer"));
  for (int i = 0; i < 100; ++i) {
    send(worker, kToServer, message(kWorker), {});
    server.link->poll(milliseconds(2), server.seen);
  }
  worker.link->poll(std::chrono::minutes(2), worker.seen);

  BOOST_TEST((worker.seen.texts == std::vector<std::string>{"answer"}));
}

BOOST_FIXTURE_TEST_CASE(carries_a_payload_of_the_largest_size, Pair) {
  const Bytes values(wire::kMaxDataPayload, std::byte{1});
  wire::Header push = message(kWorker, wire::MessageType::kPush);
  push.count = static_cast<std::uint32_t>(values.size() / sizeof(float));

  send(worker, kToServer, push, values);
  run([this] { return server.seen.texts.size() == 1; });

  BOOST_TEST(server.seen.texts.front().size() == values.size());
}

BOOST_AUTO_TEST_CASE(carries_messages_over_ipv6, *boost::unit_test::precondition(hasIpv6)) {
  for (const char* listen : {"tcp://[::1]:0", "tcp://::1:0"}) {
    Pair pair(listen);
    BOOST_TEST(pair.server.link->endpoint().starts_with("tcp://[::1]:"));
    send(pair.worker, kToServer, message(kWorker), asBytes("one"));
    pair.run([&] { return pair.server.seen.texts.size() == 1; });
    send(pair.server, kToWorker, message(kServer), asBytes("two"));
    pair.run([&] { return pair.worker.seen.texts.size() == 1; });

    BOOST_TEST(pair.server.seen.texts.front() == "one");
    BOOST_TEST(pair.worker.seen.texts.front() == "two");
  }
}

// Where the machine has IPv6, "localhost" is ::1 first, and there nobody listens.
BOOST_AUTO_TEST_CASE(finds_a_peer_at_either_address_of_its_name) {
  Context context;
  End server = openEnd(context, kServer, "tcp://127.0.0.1:0");
  End worker = openEnd(context, kWorker, "");
  const std::string& at = server.link->endpoint();

  worker.link->connect(kToServer, "tcp://localhost" + at.substr(at.rfind(':')), /*expected=*/0);
  while (worker.seen.ups == 0) {
    for (int i = 0; i < 50 && worker.seen.ups == 0; ++i)
      runOnce({&server, &worker});
    if (worker.seen.ups == 0) worker.link->reopen(kToServer);
  }
  worker.link->reopen(kToServer);
  runUntil({&server, &worker}, [&] { return worker.seen.ups == 2; });  // stays with what it found

  BOOST_TEST(worker.link->statistics().reconnects == 1U);
}

BOOST_FIXTURE_TEST_CASE(keeps_the_lanes_of_a_peer_apart, Pair) {
  worker.link->connect({kServer.slot, Lane::kData}, server.link->endpoint(), /*expected=*/0);
  run([this] { return worker.seen.ups == 2; });

  send(worker, {kServer.slot, Lane::kData}, message(kWorker), {});
  run([this] { return server.seen.peers.size() == 1; });
  send(server, {kWorker.slot, Lane::kData}, message(kServer), {});
  run([this] { return worker.seen.peers.size() == 1; });

  BOOST_TEST((server.seen.peers.front().lane == Lane::kData));
  BOOST_TEST((worker.seen.peers.front().lane == Lane::kData));
}

BOOST_FIXTURE_TEST_CASE(refuses_a_sender_who_does_not_hold_the_connection, Pair) {
  Member other = kWorker;
  other.slot.index = 7;
  Member earlier = kWorker;
  earlier.incarnation = 1;

  send(worker, kToServer, message(other), {});
  send(worker, kToServer, message(earlier), {});
  send(worker, kToServer, message(kWorker), asBytes("good"));
  run([this] { return server.seen.texts.size() == 1; });
  send(server, kToWorker, message(Member{{Role::kServer, 5}, 1}), {});
  run([this] { return worker.link->statistics().rejectedFor(wire::Rejection::kSender) == 1; });

  BOOST_TEST(server.seen.texts.front() == "good");
  BOOST_TEST(server.link->statistics().rejectedFor(wire::Rejection::kSender) == 2U);
  BOOST_TEST(worker.seen.texts.empty());
}

BOOST_FIXTURE_TEST_CASE(refuses_messages_of_another_job, Pair) {
  wire::Header foreign = message(kWorker);
  foreign.job = kJob + 1;

  send(worker, kToServer, foreign, {});
  run([this] { return server.link->statistics().rejectedFor(wire::Rejection::kJob) == 1; });
  BOOST_TEST(server.seen.damaged.empty());

  BOOST_TEST(server.seen.texts.empty());
}

BOOST_FIXTURE_TEST_CASE(outlives_strangers_with_frames_of_any_number_and_size, Pair) {
  zmq::context_t elsewhere;
  auto stranger = aStranger(elsewhere, server.link->endpoint(), "who");
  const std::string id = encode(RoutingId{kJob, kWorker, Lane::kData});
  auto impostor = aStranger(elsewhere, server.link->endpoint(), id);
  const wire::HeaderBytes header = wire::encode(message(kWorker), {});
  const std::string good(asText(header));

  sendFrames(stranger, {"GET / HTTP/1.1"});
  sendFrames(stranger, {good});
  sendFrames(impostor, {good, "", "third"});
  run([this] {
    const Statistics& counted = server.link->statistics();
    return counted.rejectedFor(wire::Rejection::kHeaderLength) == 1 &&
           counted.rejectedFor(wire::Rejection::kSender) == 1 &&
           counted.rejectedFor(wire::Rejection::kFrameCount) == 1;
  });
  send(worker, kToServer, message(kWorker), asBytes("still here"));
  run([this] { return !server.seen.texts.empty(); });

  BOOST_TEST((server.seen.texts == std::vector<std::string>{"still here"}));
}

// ZeroMQ allocates a frame before anyone has seen it: it must do so for none that is too large.
BOOST_FIXTURE_TEST_CASE(a_frame_above_the_limit_costs_its_sender_the_connection, Pair) {
  zmq::context_t elsewhere;
  auto stranger = aStranger(elsewhere, server.link->endpoint(), "who");
  Monitor monitor(elsewhere, stranger, ZMQ_EVENT_DISCONNECTED);
  const auto rejected = [this] {
    return server.link->statistics().rejectedFor(wire::Rejection::kPayloadLength);
  };

  const wire::HeaderBytes header = wire::encode(message(kWorker), {});
  const std::string good(asText(header));
  sendFrames(stranger, {good, std::string(wire::kMaxDataPayload + 1, 'x')});  // room for more
  run([&] { return rejected() == 1; });
  sendFrames(stranger, {good, std::string(wire::kMaxDataPayload + 8192, 'x')});
  bool is_cut = false;
  run([&] {
    is_cut = monitor.nextEvent().has_value();
    return is_cut || rejected() > 1;
  });

  BOOST_TEST(is_cut);
  BOOST_TEST(rejected() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_peer_that_reads_nothing_makes_us_keep_a_bounded_number_of_messages,
                        Pair) {
  zmq::context_t elsewhere;
  const std::string id = encode(RoutingId{kJob, kWorker, Lane::kData});
  auto mute = aStranger(elsewhere, server.link->endpoint(), id);
  const wire::HeaderBytes header = wire::encode(message(kWorker), {});
  sendFrames(mute, {std::string(asText(header))});
  run([this] { return server.seen.texts.size() == 1; });
  const Peer to_mute{kWorker.slot, Lane::kData};
  const PayloadPtr payload = makePayload(Bytes(wire::kMaxControlPayload));

  // ZeroMQ keeps 2,080, as many again as the other end has room for, and TCP's buffers their part.
  constexpr int kTooMany = 10'000;
  int taken = 0;
  while (taken < kTooMany && server.link->transmit(to_mute, message(kServer), payload))
    ++taken;

  BOOST_TEST(taken >= 2080);
  BOOST_TEST(taken < kTooMany);
}

BOOST_FIXTURE_TEST_CASE(nobody_who_connects_can_pose_as_a_peer_that_we_dial, Pair) {
  const Member false_server{kServer.slot, 666};
  End listening = openEnd(context, kWorker, "tcp://127.0.0.1:0");
  listening.link->connect(kToServer, server.link->endpoint(), /*expected=*/0);
  runUntil({&server, &listening}, [&] { return listening.seen.ups == 1; });
  zmq::context_t elsewhere;
  const std::string id = encode(RoutingId{kJob, false_server, Lane::kControl});
  auto impostor = aStranger(elsewhere, listening.link->endpoint(), id);
  const auto rejected = [&] {
    return listening.link->statistics().rejectedFor(wire::Rejection::kSender);
  };

  const wire::HeaderBytes header = wire::encode(message(false_server), {});
  sendFrames(impostor, {std::string(asText(header))});
  runUntil({&listening}, [&] { return rejected() == 1 || !listening.seen.texts.empty(); });

  BOOST_TEST(rejected() == 1U);
  BOOST_TEST(listening.seen.texts.empty());
}

BOOST_FIXTURE_TEST_CASE(tells_when_a_peer_goes_and_when_it_is_back, Pair) {
  const std::string endpoint = server.link->endpoint();

  server.link.reset();
  run([this] { return worker.seen.downs == 1; });
  BOOST_TEST(!send(worker, kToServer, message(kWorker), asBytes("lost")));
  run([&] {  // the port is free a moment after the socket is closed
    auto again = ZmqLink::open(context, {kJob, kServer, endpoint}, Log::discarding());
    const bool is_open = again.has_value();
    if (is_open) server.link = std::move(again).value();
    return is_open;
  });
  run([this] { return worker.seen.ups == 2; });
  send(worker, kToServer, message(kWorker), asBytes("back"));
  run([this] { return !server.seen.texts.empty(); });

  BOOST_TEST((server.seen.texts == std::vector<std::string>{"back"}));
  BOOST_TEST(worker.seen.downs == 1);
}

// Bytes in transit are flipped by hand: no CRC fits.
BOOST_FIXTURE_TEST_CASE(tells_of_damage_on_the_connection_of_a_peer_and_of_no_stranger, Pair) {
  const std::string id = encode(RoutingId{kJob, kWorker, Lane::kData});
  zmq::context_t elsewhere;
  auto peer = aStranger(elsewhere, server.link->endpoint(), id);
  auto stranger = aStranger(elsewhere, server.link->endpoint(), "who");
  wire::Header push = message(kWorker, wire::MessageType::kPush);
  push.count = 1;
  const Bytes value(sizeof(float));
  const wire::HeaderBytes header = wire::encode(push, value);
  const std::string good(asText(header));
  const auto rejected = [this] {
    return server.link->statistics().rejectedFor(wire::Rejection::kPayloadChecksum);
  };

  sendFrames(stranger, {good, "abcd"});
  run([&] { return rejected() == 1; });
  sendFrames(peer, {good, "abcd"});
  run([&] { return rejected() == 2; });
  BOOST_TEST(server.seen.damaged.empty());  // nothing of its own has come: it has no connection yet
  sendFrames(peer, {good, std::string(asText(value))});
  sendFrames(peer, {good, "abcd"});
  run([&] { return rejected() == 3; });

  BOOST_TEST_REQUIRE(server.seen.damaged.size() == 1U);
  BOOST_TEST((server.seen.damaged[0].first == Peer{kWorker.slot, Lane::kData}));
  BOOST_TEST(server.seen.damaged[0].second == kWorker.incarnation);
}

BOOST_FIXTURE_TEST_CASE(sends_one_payload_to_many_without_a_copy_of_its_own, Pair) {
  Bytes text(100'000, std::byte{'x'});
  const PayloadPtr payload = makePayload(text);
  for (int i = 0; i < 3; ++i) {
    wire::Header push = message(kWorker, wire::MessageType::kPush);
    push.count = 25'000;
    BOOST_TEST(worker.link->transmit(kToServer, push, payload));
  }
  run([this] { return server.seen.texts.size() == 3; });
  run([&] { return payload.use_count() == 1; });  // ZeroMQ has let go

  BOOST_TEST((server.seen.texts[2] == asText(text)));
}

BOOST_FIXTURE_TEST_CASE(drops_what_is_for_nobody_it_knows, Pair) {
  BOOST_TEST(!send(server, {{Role::kWorker, 99}, Lane::kControl}, message(kServer), {}));
}

BOOST_FIXTURE_TEST_CASE(is_woken_by_another_thread, Pair) {
  const std::jthread other([this] { worker.link->wake(); });

  worker.link->poll(std::chrono::minutes(10), worker.seen);  // longer than the suite's timeout

  BOOST_TEST(worker.seen.texts.empty());
}

BOOST_AUTO_TEST_CASE(says_why_it_cannot_listen) {
  Context context;

  const auto link = ZmqLink::open(context, {kJob, kServer, "tcp://nowhere"}, Log::discarding());

  BOOST_REQUIRE(!link);
  BOOST_TEST(link.error().code == ErrorCode::kDenied);
  BOOST_TEST(link.error().message.find("tcp://nowhere") != std::string::npos);

  // An address of RFC 5737, which no machine has.
  const auto away = ZmqLink::open(context, {kJob, kServer, "tcp://192.0.2.1:0"}, Log::discarding());
  BOOST_REQUIRE(!away);
  test::checkGolden("exchange/link/cannot_listen.txt", away.error().message + "\n");
}

BOOST_FIXTURE_TEST_CASE(takes_an_endpoint_that_cannot_be_for_a_peer_that_is_away, Pair) {
  worker.link->connect({{Role::kServer, 1}, Lane::kData}, "nonsense", /*expected=*/0);

  BOOST_TEST(!send(worker, {{Role::kServer, 1}, Lane::kData}, message(kWorker), {}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::zmq_link_test
