#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <zmq.hpp>

#include "exchange/link/sockets.h"
#include "tests/unit/exchange/link/zmq_ends.h"

// Connections that are opened anew or closed, and which of a slot's processes is sent to.

namespace sumac::link::zmq_link_test {
namespace {

const Member kNext{kWorker.slot, 2002};

/// A server and two processes of one slot, which are both connected.
struct Rivals {
  Context context;
  End server = openEnd(context, kServer, "tcp://127.0.0.1:0");
  End zombie = openEnd(context, kWorker, "");
  End next = openEnd(context, kNext, "");
  const Peer to_server;
  const Peer to_worker;

  explicit Rivals(Lane lane) : to_server{kServer.slot, lane}, to_worker{kWorker.slot, lane} {
    for (End* end : {&zombie, &next})
      end->link->connect(to_server, server.link->endpoint(), /*expected=*/0);
    run([this] { return zombie.seen.ups == 1 && next.seen.ups == 1; });
    for (End* end : {&zombie, &next})
      speakLast(*end);
  }
  void run(const std::function<bool()>& condition) {
    runUntil({&server, &zombie, &next}, condition);
  }
  void speakLast(End& end) {
    const std::size_t before = server.seen.texts.size();
    send(end, to_server, message(&end == &next ? kNext : kWorker), {});
    run([&] { return server.seen.texts.size() > before; });
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(zmq_link, *boost::unit_test::timeout(60))

BOOST_FIXTURE_TEST_CASE(opens_a_connection_anew_when_it_is_told_to, Pair) {
  worker.link->reopen(kToServer);
  run([this] { return worker.seen.ups == 2; });

  send(worker, kToServer, message(kWorker), asBytes("again"));
  run([this] { return !server.seen.texts.empty(); });

  BOOST_TEST(server.seen.texts.back() == "again");
  BOOST_TEST(worker.link->statistics().reconnects == 1U);
  BOOST_TEST(worker.seen.downs == 0);
}

// Messages are waiting behind the one that is being handled: they are not read any more.
BOOST_FIXTURE_TEST_CASE(closes_a_connection_while_it_is_being_read, Pair) {
  send(worker, kToServer, message(kWorker), {});
  run([this] { return server.seen.texts.size() == 1; });
  worker.seen.on_message = [this] { worker.link->close(kToServer); };
  for (int i = 0; i < 10; ++i)
    send(server, kToWorker, message(kServer), asBytes(std::to_string(i)));
  run([this] { return !worker.seen.texts.empty(); });
  for (int i = 0; i < 20; ++i)
    runOnce({&server, &worker});

  BOOST_TEST((worker.seen.texts == std::vector<std::string>{"0"}));
  BOOST_TEST(worker.seen.downs == 0);
  BOOST_TEST(!send(worker, kToServer, message(kWorker), {}));
}

BOOST_FIXTURE_TEST_CASE(opens_a_connection_again_in_the_call_that_closes_it, Pair) {
  const auto again = [this] {
    worker.link->close(kToServer);
    worker.link->connect(kToServer, server.link->endpoint(), /*expected=*/0);
  };
  worker.seen.on_message = again;
  worker.seen.on_up = [&] {
    if (worker.seen.ups == 3) again();
  };
  send(worker, kToServer, message(kWorker), {});
  run([this] { return server.seen.texts.size() == 1; });
  send(server, kToWorker, message(kServer), {});
  run([this] { return worker.seen.ups == 2; });
  again();
  run([this] { return worker.seen.ups == 4; });
  send(worker, kToServer, message(kWorker), asBytes("again"));
  run([this] { return server.seen.texts.size() == 2; });

  BOOST_TEST(server.seen.texts.back() == "again");
}

// What ZeroMQ has taken for a peer that reads nothing.
BOOST_AUTO_TEST_CASE(a_closed_connection_lets_go_of_the_payloads_that_are_under_way) {
  Context context;
  zmq::context_t elsewhere;
  zmq::socket_t mute(elsewhere, zmq::socket_type::router);
  mute.set(zmq::sockopt::linger, 0);
  mute.set(zmq::sockopt::rcvhwm, 1);
  mute.bind("tcp://127.0.0.1:*");
  End worker = openEnd(context, kWorker, "");
  worker.link->connect(kToServer, mute.get(zmq::sockopt::last_endpoint), /*expected=*/0);
  runUntil({&worker}, [&] { return worker.seen.ups == 1; });
  const PayloadPtr payload = makePayload(Bytes(wire::kMaxControlPayload));
  int taken = 0;
  while (worker.link->transmit(kToServer, message(kWorker), payload))
    ++taken;
  BOOST_TEST(payload.use_count() > 1000);
  worker.link->close(kToServer);
  int arrived = 0;
  while (payload.use_count() > 1)
    arrived += receive(mute) ? 1 : 0;

  BOOST_TEST(arrived < taken / 2);  // what TCP had: nothing lingers
}

BOOST_FIXTURE_TEST_CASE(forgets_a_peer_whose_connection_is_closed_until_it_speaks_again, Pair) {
  send(worker, kToServer, message(kWorker), {});
  run([this] { return server.seen.texts.size() == 1; });
  server.link->close(kToWorker);
  BOOST_TEST(!send(server, kToWorker, message(kServer), {}));
  send(worker, kToServer, message(kWorker), {});
  run([this] { return server.seen.texts.size() == 2; });

  BOOST_TEST(send(server, kToWorker, message(kServer), {}));
}

BOOST_FIXTURE_TEST_CASE(answers_the_process_that_spoke_last_for_a_slot, Pair) {
  Member restarted = kWorker;
  restarted.incarnation = 2002;
  End successor = openEnd(context, restarted, "");
  successor.link->connect(kToServer, server.link->endpoint(), /*expected=*/0);
  runUntil({&server, &successor}, [&] { return successor.seen.ups == 1; });

  send(worker, kToServer, message(kWorker), {});
  run([this] { return server.seen.texts.size() == 1; });
  send(successor, kToServer, message(restarted), {});
  runUntil({&server, &successor}, [this] { return server.seen.texts.size() == 2; });
  send(server, kToWorker, message(kServer), asBytes("for the successor"));
  runUntil({&server, &worker, &successor}, [&] { return !successor.seen.texts.empty(); });

  BOOST_TEST(worker.seen.texts.empty());
}

// A process that was taken for dead wakes up and says hello every 250 ms.
BOOST_AUTO_TEST_CASE(sends_to_the_process_that_is_awaited_whoever_speaks_as_its_slot) {
  for (const Lane lane : {Lane::kControl, Lane::kData}) {
    Rivals all(lane);
    all.server.link->await(all.to_worker, kNext.incarnation);
    all.speakLast(all.zombie);
    BOOST_TEST(send(all.server, all.to_worker, message(kServer), asBytes("one")));
    all.run([&] { return !all.next.seen.texts.empty(); });
    all.server.link->await(all.to_worker, kWorker.incarnation);
    all.speakLast(all.next);
    BOOST_TEST(send(all.server, all.to_worker, message(kServer), asBytes("two")));
    all.run([&] { return !all.zombie.seen.texts.empty(); });

    BOOST_TEST((all.next.seen.texts == std::vector<std::string>{"one"}));
    BOOST_TEST((all.zombie.seen.texts == std::vector<std::string>{"two"}));
  }
}

BOOST_AUTO_TEST_CASE(sends_nothing_to_an_awaited_process_that_is_not_there) {
  Rivals all(Lane::kData);
  all.server.link->await(all.to_worker, /*incarnation=*/3003);
  all.speakLast(all.zombie);
  BOOST_TEST(!send(all.server, all.to_worker, message(kServer), {}));
  all.server.link->close(all.to_worker);
  all.speakLast(all.zombie);
  BOOST_TEST(send(all.server, all.to_worker, message(kServer), {}));
}

BOOST_AUTO_TEST_CASE(answers_exactly_one_process_though_another_is_awaited) {
  Rivals all(Lane::kControl);
  all.server.link->await(all.to_worker, kNext.incarnation);
  BOOST_TEST(all.server.link->answer(kWorker, message(kServer), makePayload(asBytes("end"))));
  all.run([&] { return !all.zombie.seen.texts.empty(); });
  BOOST_TEST(!all.server.link->answer({kWorker.slot, 3003}, message(kServer), nullptr));
  BOOST_TEST(!all.zombie.link->answer(kServer, message(kWorker), nullptr));  // we dial it

  BOOST_TEST(all.next.seen.texts.empty());
  BOOST_TEST(all.server.link->statistics().messages_sent == 1U);
}

BOOST_FIXTURE_TEST_CASE(rejects_another_process_than_it_expects_at_an_endpoint, Pair) {
  const Peer data{kServer.slot, Lane::kData};
  const Peer to_data{kWorker.slot, Lane::kData};
  worker.link->connect(data, server.link->endpoint(), /*expected=*/1);
  run([this] { return worker.seen.ups == 2; });
  send(worker, data, message(kWorker), {});
  run([this] { return !server.seen.texts.empty(); });
  send(server, to_data, message(kServer), asBytes("false"));
  run([this] { return worker.link->statistics().rejectedFor(wire::Rejection::kSender) == 1; });
  worker.link->close(data);
  worker.link->connect(data, server.link->endpoint(), kServer.incarnation);
  run([this] { return worker.seen.ups == 3; });
  send(worker, data, message(kWorker), {});
  run([this] { return server.seen.texts.size() == 2; });
  send(server, to_data, message(kServer), asBytes("true"));
  run([this] { return !worker.seen.texts.empty(); });

  BOOST_TEST((worker.seen.texts == std::vector<std::string>{"true"}));
}

BOOST_FIXTURE_TEST_CASE(sends_nothing_to_an_awaited_process_while_it_is_silent_for_long, Pair) {
  const TimePoint start{std::chrono::hours(1)};
  server.link->onTick(start);
  send(worker, kToServer, message(kWorker), {});
  run([this] { return server.seen.texts.size() == 1; });
  server.link->await(kToWorker, kWorker.incarnation);
  BOOST_TEST(send(server, kToWorker, message(kServer), {}));
  for (int i = 0; i <= 21; ++i)
    server.link->onTick(start + i * milliseconds(500));
  BOOST_TEST(!send(server, kToWorker, message(kServer), {}));
  send(worker, kToServer, message(kWorker), {});
  run([this] { return server.seen.texts.size() == 2; });

  BOOST_TEST(send(server, kToWorker, message(kServer), {}));
}

BOOST_FIXTURE_TEST_CASE(forgets_a_peer_that_has_been_silent_for_long, Pair) {
  const TimePoint start{std::chrono::hours(1)};
  server.link->onTick(start);
  send(worker, kToServer, message(kWorker), {});
  run([this] { return server.seen.texts.size() == 1; });
  server.link->onTick(start + std::chrono::minutes(9));  // we did not run ourselves
  BOOST_TEST(send(server, kToWorker, message(kServer), {}));

  for (int i = 0; i <= 21; ++i)
    server.link->onTick(start + std::chrono::minutes(9) + i * milliseconds(500));

  BOOST_TEST(!send(server, kToWorker, message(kServer), {}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::zmq_link_test
