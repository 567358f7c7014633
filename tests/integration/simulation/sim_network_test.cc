#include "tests/integration/simulation/sim_network.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::sim_network_test {

using link::Lane;
using link::Peer;
using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::MessageType;
using Texts = std::vector<std::string>;

constexpr std::uint64_t kJob = 7;
constexpr Slot kServer{Role::kServer, 0};
constexpr Slot kWorker{Role::kWorker, 0};
constexpr Peer kToServer{kServer, Lane::kControl};
constexpr Peer kToWorker{kWorker, Lane::kControl};
constexpr Peer kServerData{kServer, Lane::kData};
constexpr Peer kWorkerData{kWorker, Lane::kData};

/// A process that writes down what comes.
struct Process final : link::Handler {
  Process(SimNetwork& network, const Member& member)
      : self(member), link(network.add(member, kJob, toString(member.slot), *this, [] {})) {
    network.listen(member);
  }

  void onMessage(Peer from, const wire::Header& header, const link::PayloadPtr& payload) override {
    order.take(from, header);
    senders.push_back(header.sender);
    texts.emplace_back(asText(link::bytesOf(payload)));
  }
  void onPeerUp(Peer /*peer*/) override { ++ups; }
  void onPeerDown(Peer /*peer*/, const std::string& /*why*/) override { ++downs; }
  void onRoom(Peer /*peer*/) override {}
  void onSuspected(Peer peer, const std::string& /*why*/) override { suspected.push_back(peer); }

  wire::Header header() const {
    wire::Header header;
    header.type = MessageType::kProgress;
    header.job = kJob;
    header.sender = self;
    return header;
  }
  void send(Peer to, std::string_view text) { link.send(to, header(), asBytes(text)); }
  void answer(const Member& to, std::string_view text) { link.answer(to, header(), asBytes(text)); }

  const Member self;
  link::Link& link;
  SimOrder order;
  std::vector<Member> senders;
  Texts texts;
  std::vector<Peer> suspected;
  int ups = 0;
  int downs = 0;
};

/// A server, and a worker that is paused while another process takes its place.
struct Fixture {
  explicit Fixture(std::uint64_t seed = 1) : network(seed) {}

  void pass(Duration time) {
    const TimePoint until = network.now() + time;
    network.after(time, [] {});
    while (network.now() < until && network.runNext()) {
    }
  }

  SimNetwork network;
  Process server{network, {kServer, 1}};
  Process zombie{network, {kWorker, 2}};
};

const SimFaults kHarm{/*loss=*/0.003, /*flip=*/0.003, /*duplication=*/0.02, /*late=*/true,
                      /*lane=*/std::nullopt};

/// Opens the end of each of the data lane between the server and a worker, whoever dials.
static void openServersEnd(Process& server, const Member& worker, bool worker_dials) {
  if (worker_dials) {
    server.link.await(kWorkerData, worker.incarnation);
  } else {
    server.link.connect(kWorkerData, toString(kWorker), worker.incarnation);
  }
}
static void openWorkersEnd(Process& worker, const Member& server, bool worker_dials) {
  if (worker_dials) {
    worker.link.connect(kServerData, toString(kServer), server.incarnation);
  } else {
    worker.link.await(kServerData, server.incarnation);
  }
}

static Texts numbers(int count) {
  Texts all;
  for (int i = 0; i < count; ++i)
    all.push_back(std::to_string(i));
  return all;
}

BOOST_AUTO_TEST_SUITE(sim_network)

BOOST_FIXTURE_TEST_CASE(an_endpoint_leads_to_the_newest_process_that_listens, Fixture) {
  server.link.connect(kToWorker, toString(kWorker), /*expected=*/0);
  pass(milliseconds(100));
  Process next(network, {kWorker, 3});
  server.send(kToWorker, "old");
  pass(milliseconds(100));
  server.link.close(kToWorker);
  server.link.connect(kToWorker, toString(kWorker), /*expected=*/0);
  pass(milliseconds(100));
  server.send(kToWorker, "new");
  pass(milliseconds(100));

  BOOST_TEST((zombie.texts == Texts{"old"}));
  BOOST_TEST((next.texts == Texts{"new"}));
  BOOST_TEST(network.newest(kWorker) == next.self);
}

BOOST_FIXTURE_TEST_CASE(a_killed_process_breaks_its_connections, Fixture) {
  zombie.link.connect(kToServer, toString(kServer), /*expected=*/0);
  pass(milliseconds(100));
  zombie.send(kToServer, "one");
  pass(milliseconds(100));
  network.kill(server.self);
  pass(milliseconds(100));
  BOOST_TEST(zombie.downs == 1);
  zombie.send(kToServer, "lost");
  pass(seconds(5));
  BOOST_TEST(zombie.ups == 1);
  Process again(network, {kServer, 5});
  pass(milliseconds(100));
  BOOST_TEST(zombie.ups == 2);
  zombie.send(kToServer, "two");
  pass(milliseconds(100));

  BOOST_TEST((server.texts == Texts{"one"}));
  BOOST_TEST((again.texts == Texts{"two"}));
  BOOST_TEST(network.isDead(server.self));
  BOOST_TEST(!network.isDead(kServer));
}

BOOST_FIXTURE_TEST_CASE(a_cut_is_of_one_way_and_of_one_lane, Fixture) {
  zombie.link.connect(kToServer, toString(kServer), /*expected=*/0);
  zombie.link.connect(kServerData, toString(kServer), server.self.incarnation);
  server.link.await(kWorkerData, zombie.self.incarnation);
  pass(milliseconds(100));
  network.cut(kWorker, kServer, seconds(1), Lane::kControl);
  zombie.send(kToServer, "cut");
  zombie.send(kServerData, "one");
  server.link.answer(zombie.self, server.header(), asBytes("back"));
  pass(milliseconds(100));
  BOOST_TEST((server.texts == Texts{"one"}));
  BOOST_TEST((zombie.texts == Texts{"back"}));
  pass(seconds(1));
  BOOST_TEST((server.texts == Texts{"one", "cut"}));
  network.cut(kWorker, kServer, seconds(1));
  zombie.send(kServerData, "later");
  pass(milliseconds(500));
  BOOST_TEST((server.texts == Texts{"one", "cut"}));
  pass(seconds(5));
  BOOST_TEST((server.texts == Texts{"one", "cut", "later"}));
}

// The control lane of a coordinator.
BOOST_FIXTURE_TEST_CASE(a_slot_is_heard_and_one_of_its_processes_is_sent_to, Fixture) {
  Process next(network, {kWorker, 3});
  for (Process* one : {&zombie, &next})
    one->link.connect(kToServer, toString(kServer), /*expected=*/0);
  pass(milliseconds(100));
  next.send(kToServer, "join");
  pass(milliseconds(100));
  server.send(kToWorker, "to the last that spoke");
  server.link.await(kToWorker, next.self.incarnation);
  zombie.send(kToServer, "beat");
  pass(milliseconds(100));
  server.send(kToWorker, "to the one that is named");
  server.answer(zombie.self, "end");
  pass(milliseconds(100));

  BOOST_TEST((server.senders == std::vector<Member>{next.self, zombie.self}));
  BOOST_TEST((next.texts == Texts{"to the last that spoke", "to the one that is named"}));
  BOOST_TEST((zombie.texts == Texts{"end"}));
}

BOOST_FIXTURE_TEST_CASE(nothing_comes_from_a_lane_that_was_closed_and_opened_again, Fixture) {
  zombie.link.connect(kToServer, toString(kServer), /*expected=*/0);
  pass(milliseconds(100));
  zombie.send(kToServer, "join");
  pass(milliseconds(100));
  network.pause(zombie.self, seconds(1));
  server.send(kToWorker, "waits in the socket");
  network.after(milliseconds(500), [this] {
    zombie.link.close(kToServer);
    zombie.link.connect(kToServer, toString(kServer), /*expected=*/0);
  });
  pass(seconds(2));
  BOOST_TEST(zombie.ups == 2);
  BOOST_TEST(zombie.downs == 0);
  BOOST_TEST(zombie.texts.empty());
}

// Whoever dials, and whatever the network loses meanwhile. The process that sleeps does so for
// longer than a lane is silent, so that it dials again when it wakes.
BOOST_AUTO_TEST_CASE(a_process_that_wakes_gets_nothing_of_its_replacement_and_adds_nothing) {
  constexpr int kMessages = 50;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Fixture all(seed);
    SimNetwork& network = all.network;
    Process& server = all.server;
    const bool worker_dials = seed % 2 == 0;
    const auto open = [&](Process& worker) {
      openServersEnd(server, worker.self, worker_dials);
      openWorkersEnd(worker, server.self, worker_dials);
    };
    open(all.zombie);
    all.pass(milliseconds(300));
    server.send(kWorkerData, "before");
    all.pass(milliseconds(300));
    network.harm(kHarm);
    network.pause(all.zombie.self, seconds(5));
    Process next(network, {kWorker, 3});
    all.pass(network.between(0, 5'000'000));
    open(next);
    for (const std::string& text : numbers(kMessages)) {
      network.after(next.self, network.between(0, 1), [&] { next.send(kServerData, "sum"); });
      server.send(kWorkerData, text);
      all.zombie.send(kServerData, "false");
      all.pass(network.between(1, 100'000));
      if (seed % 5 == 0) network.breakOne(milliseconds(60), Lane::kData);
    }
    all.pass(seconds(10));

    BOOST_TEST_CONTEXT("seed " << seed) {
      BOOST_TEST((next.texts == numbers(kMessages)));
      BOOST_TEST((all.zombie.texts == Texts{"before"}));
      BOOST_TEST((server.texts == Texts(kMessages, "sum")));
      BOOST_TEST(server.suspected.empty());
    }
  }
}

// Two processes that were lost for each other and meet again in another term: what either says on
// the new lane arrives, and nothing of the old one does.
BOOST_AUTO_TEST_CASE(both_ends_of_a_lane_may_begin_a_term_in_any_order) {
  constexpr int kMessages = 30;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Fixture all(seed);
    SimNetwork& network = all.network;
    Process& server = all.server;
    Process& worker = all.zombie;
    const bool worker_dials = seed % 2 == 0;
    openServersEnd(server, worker.self, worker_dials);
    openWorkersEnd(worker, server.self, worker_dials);
    all.pass(milliseconds(300));
    for (int i = 0; i < kMessages; ++i) {
      if (seed % 3 != 0) server.send(kWorkerData, "old");
      if (seed % 3 != 1) worker.send(kServerData, "old");
    }
    all.pass(milliseconds(seed % 7 == 0 ? 0 : 300));
    network.harm(kHarm);
    const auto sendAll = [](Process& from, Peer to) {
      from.order = {};
      from.texts.clear();
      for (const std::string& text : numbers(kMessages))
        from.send(to, text);
    };
    network.after(network.between(0, 3'000'000), [&] {
      server.link.beginTerm(2);
      openServersEnd(server, worker.self, worker_dials);
      sendAll(server, kWorkerData);
    });
    network.after(network.between(0, 3'000'000), [&] {
      worker.link.beginTerm(2);
      openWorkersEnd(worker, server.self, worker_dials);
      sendAll(worker, kServerData);
    });
    all.pass(seconds(10));

    BOOST_TEST_CONTEXT("seed " << seed) {
      BOOST_TEST((server.texts == numbers(kMessages)));
      BOOST_TEST((worker.texts == numbers(kMessages)));
      BOOST_TEST((server.suspected.empty() && worker.suspected.empty()));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::sim_network_test
