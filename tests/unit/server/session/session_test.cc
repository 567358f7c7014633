#include "server/session/session.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/plain_kernels.h"
#include "tests/support/recording_link.h"

namespace sumac::server::session_test {

namespace {

using link::Lane;
using link::Peer;
using wire::Header;
using wire::MessageType;

constexpr Peer kControl{{Role::kServer, 0}, Lane::kControl};

// Server 1 of two: a member like any other.
struct Fixture : Listener {
  RecordingLink link;
  ExchangePlan plan = makeExchangePlan({4000}, 1);
  Session session{{{{Role::kServer, 1}, 201}, 7, "tcp://b:1", "a=1\n", 1, 2},
                  [this](int /*vocabulary*/) -> Result<SumPlan> {
                    return SumPlan{plan, "a=1\n"};
                  },
                  "tcp://a:1",
                  kPlainKernels,
                  link,
                  *this};
  TimePoint now{std::chrono::hours(1)};
  std::vector<std::pair<ExitCode, std::string>> ends;

  Fixture() { session.start(now); }
  void onProgress(const std::string& /*json*/) override {}
  void onEnd(ExitCode code, const std::string& reason) override { ends.emplace_back(code, reason); }

  Header from(Slot slot, Incarnation incarnation, MessageType type) const {
    Header header;
    header.type = type;
    header.job = 7;
    header.term = 1;
    header.generation = 1;
    header.sender = {slot, incarnation};
    return header;
  }
  void control(MessageType type, std::string_view text = {}) {
    session.onMessage(kControl, from(kControl.slot, 200, type), link::makePayload(asBytes(text)));
  }
  std::string rosterJson(Incarnation self) const {
    Roster roster;
    roster.order = {1, 1};
    roster.members = {{{{Role::kServer, 0}, 200}, "tcp://a:1"},
                      {{{Role::kServer, 1}, self}, "tcp://b:1"},
                      {{{Role::kWorker, 0}, 100}, ""}};
    roster.shards = shards();
    return toJson(roster);
  }
  ShardMap shards() const { return ShardMap::shareOut(plan, Role::kServer, {0, 1}); }
  void pushEverything() {
    const Slot worker{Role::kWorker, 0};
    for (const Range& range : plan.ranges) {
      Header header = from(worker, 100, MessageType::kPush);
      header.step = 1;
      header.range = range.id;
      header.first = static_cast<std::uint64_t>(range.first);
      header.count = static_cast<std::uint32_t>(range.count);
      header.node = {0, 1};
      const Bytes payload(static_cast<std::size_t>(range.count) * 4);
      session.onMessage({worker, Lane::kData}, header, link::makePayload(payload));
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(session_, Fixture)

BOOST_AUTO_TEST_CASE(asks_to_be_let_in_and_sums_the_ranges_that_it_owns) {
  session.onPeerUp(kControl);
  BOOST_TEST(link.count(MessageType::kJoin) == 1U);
  control(MessageType::kRoster, rosterJson(201));
  pushEverything();
  std::size_t owned = 0;
  for (const Range& range : plan.ranges) {
    owned += shards().owns({Role::kServer, 1}, range.id) ? 1U : 0U;
  }
  BOOST_TEST(owned > 0U);
  BOOST_TEST(link.count(MessageType::kSum) == owned);
}

BOOST_AUTO_TEST_CASE(a_roster_without_this_process_is_not_taken) {
  control(MessageType::kRoster, rosterJson(999));
  control(MessageType::kRoster, "{");
  pushEverything();
  BOOST_TEST(link.count(MessageType::kSum) == 0U);
}

BOOST_AUTO_TEST_CASE(a_sender_that_is_not_the_peer_is_ignored) {
  session.onMessage(kControl, from({Role::kServer, 5}, 200, MessageType::kAbort), {});
  session.onMessage(kControl, from(kControl.slot, 200, static_cast<MessageType>(99)), {});
  BOOST_TEST(ends.empty());
}

BOOST_AUTO_TEST_CASE(says_goodbye_and_ends_with_what_the_coordinator_says) {
  session.onPeerUp(kControl);
  control(MessageType::kRelease);
  BOOST_TEST((link.sent.back().header.type == MessageType::kGoodbye));
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 143);
}

BOOST_AUTO_TEST_CASE(asks_for_all_to_leave_when_asked_to_stop) {
  session.onPeerUp(kControl);
  control(MessageType::kHeartbeat);
  session.leave();
  BOOST_TEST(link.count(MessageType::kLeave) == 1U);
  BOOST_TEST(ends.empty());
}

BOOST_AUTO_TEST_CASE(leaves_after_13_s_when_nobody_releases_it) {
  session.onPeerUp(kControl);
  control(MessageType::kHeartbeat);
  session.onTick(now);
  session.leave();
  const auto pass = [&](int seconds) {
    for (int i = 0; i < 4 * seconds; ++i) {
      control(MessageType::kHeartbeat);
      session.onTick(now += std::chrono::milliseconds(250));
    }
  };
  pass(12);
  BOOST_TEST(ends.empty());
  pass(1);
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((ends[0].first == ExitCode::kStopped));
}

BOOST_AUTO_TEST_CASE(leaving_before_the_coordinator_has_spoken_needs_nobody) {
  session.onPeerUp(kControl);
  session.leave();
  BOOST_TEST(link.count(MessageType::kLeave) == 1U);
  BOOST_TEST((link.sent.back().header.type == MessageType::kGoodbye));
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 143);
}

BOOST_AUTO_TEST_CASE(whoever_does_not_answer_at_first_is_left_and_its_name_looked_up_again) {
  session.onPeerUp(kControl);
  for (int seconds = 1; seconds <= 4; ++seconds)
    session.onTick(now += std::chrono::seconds(1));
  BOOST_TEST(link.reconnected.empty());

  session.onTick(now += std::chrono::seconds(1));
  session.onTick(now += std::chrono::seconds(60));

  BOOST_TEST((link.reconnected == std::vector<Peer>{kControl}));
  BOOST_TEST(ends.empty());
  BOOST_TEST(!session.view().connected);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::server::session_test
