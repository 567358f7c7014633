#include "exchange/link/reactor.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/manual_clock.h"

namespace sumac::link::reactor_test {
namespace {

const Member kServer{{Role::kServer, 0}, 1};
const Member kWorker{{Role::kWorker, 0}, 2};

/// Writes down what happens, ticks too.
class Diary final : public TransportHandler {
 public:
  explicit Diary(Reactor& reactor) : reactor_(&reactor) {}

  void onMessage(Peer /*from*/, const wire::Header& /*header*/,
                 const PayloadPtr& payload) override {
    entries.emplace_back(asText(bytesOf(payload)));
    reactor_->stop();
  }
  void onDamaged(Peer /*from*/, Incarnation /*incarnation*/) override {}
  void onPeerUp(Peer /*peer*/) override { entries.emplace_back("up"); }
  void onPeerDown(Peer /*peer*/, const std::string& /*why*/) override {}

  std::vector<std::string> entries;

 private:
  Reactor* reactor_;
};

struct Fixture {
  Context context;
  std::unique_ptr<ZmqLink> link =
      ZmqLink::open(context, {1, kServer, "tcp://127.0.0.1:0"}, Log::discarding()).value();
  ManualClock clock;
  Reactor reactor{*link, clock};
  Diary diary{reactor};

  void run() {
    reactor.run(diary, [this](TimePoint) { diary.entries.emplace_back("tick"); });
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(reactor, *boost::unit_test::timeout(30))

BOOST_FIXTURE_TEST_CASE(runs_tasks_of_another_thread_in_their_order, Fixture) {
  const std::jthread other([this] {
    reactor.post([this] { diary.entries.emplace_back("first"); });
    reactor.post([this] { diary.entries.emplace_back("second"); });
    reactor.post([this] { reactor.stop(); });
  });

  run();

  BOOST_TEST((diary.entries == std::vector<std::string>{"tick", "first", "second"}));
}

BOOST_FIXTURE_TEST_CASE(takes_a_letter_before_the_tasks_that_were_posted_after_it, Fixture) {
  std::atomic<bool> letter = false;
  const std::jthread other([&] {
    letter = true;
    link->wake();
    reactor.post([this] { diary.entries.emplace_back("task"); });
    reactor.post([this] { reactor.stop(); });
  });

  reactor.run(
      diary, [](TimePoint) {},
      [&] {
        if (letter.exchange(false)) diary.entries.emplace_back("letter");
      });

  BOOST_TEST((diary.entries == std::vector<std::string>{"letter", "task"}));
}

BOOST_FIXTURE_TEST_CASE(ticks_first_after_a_pause, Fixture) {
  reactor.post([this] { clock.advance(std::chrono::seconds(10)); });
  reactor.post([this] { diary.entries.emplace_back("task"); });
  reactor.post([this] { clock.advance(std::chrono::milliseconds(19)); });
  reactor.post([this] { diary.entries.emplace_back("soon after"); });
  reactor.post([this] { reactor.stop(); });

  run();

  BOOST_TEST((diary.entries == std::vector<std::string>{"tick", "tick", "task", "soon after"}));
}

BOOST_FIXTURE_TEST_CASE(passes_messages_on, Fixture) {
  const std::jthread other([this] {
    auto peer = ZmqLink::open(context, {1, kWorker, ""}, Log::discarding()).value();
    SystemClock system;
    Reactor theirs(*peer, system);
    Diary seen(theirs);
    peer->connect({kServer.slot, Lane::kControl}, link->endpoint(), /*expected=*/0);
    const auto say = [&](TimePoint) {
      if (seen.entries.empty()) return;
      wire::Header header;
      header.job = 1;
      header.sender = kWorker;
      peer->transmit({kServer.slot, Lane::kControl}, header, makePayload(asBytes("hello")));
      theirs.stop();
    };
    theirs.run(seen, say);
  });

  run();

  BOOST_TEST(diary.entries.back() == "hello");
}

BOOST_FIXTURE_TEST_CASE(calls_nothing_after_it_was_stopped, Fixture) {
  reactor.post([this] { reactor.stop(); });
  reactor.post([this] { diary.entries.emplace_back("too late"); });

  run();

  BOOST_TEST((diary.entries == std::vector<std::string>{"tick"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::reactor_test
