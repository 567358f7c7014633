#include "exchange/member/membership.h"

#include <string>
#include <utility>
#include <vector>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/manual_clock.h"
#include "tests/unit/exchange/member/membership_fixture.h"

namespace sumac::membership_test {
namespace {

using Fixture = MembershipFixture;
using wire::MessageType;

struct End {
  std::uint64_t value;
  int code;
  MessageType type;
};
std::ostream& operator<<(std::ostream& out, const End& end) {
  return out << wire::toString(end.type) << ' ' << end.value;
}
constexpr End kEnds[] = {{0, 78, MessageType::kRefuse},
                         {0, 0, MessageType::kComplete},
                         {0, 143, MessageType::kRelease},
                         {75, 75, MessageType::kAbort},
                         {1, 1, MessageType::kAbort}};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(membership, Fixture)

BOOST_AUTO_TEST_CASE(asks_to_join_on_every_connection_and_repeats_what_it_told) {
  BOOST_TEST((link.connected == std::vector<link::Peer>{client.coordinator()}));
  client.onPeerUp();
  client.onPeerDown();
  client.onPeerUp();

  BOOST_TEST((sent() == Types{MessageType::kJoin, MessageType::kProgress, MessageType::kJoin,
                              MessageType::kProgress}));
  BOOST_TEST(link.sent[0].header.value == planHash("a=1\n"));
  BOOST_TEST((link.sent[0].header.sender == kSelf));
}

BOOST_AUTO_TEST_CASE(is_connected_once_the_coordinator_has_answered) {
  client.onPeerUp();
  BOOST_TEST(!client.isConnected());
  hear(MessageType::kHeartbeat);
  BOOST_TEST(client.isConnected());
  client.onPeerDown();
  BOOST_TEST(!client.isConnected());
}

BOOST_AUTO_TEST_CASE(sends_heartbeats_once_it_was_connected) {
  pass(std::chrono::seconds(1));
  BOOST_TEST(link.sent.empty());
  client.onPeerUp();
  pass(std::chrono::seconds(1));
  BOOST_TEST(link.count(MessageType::kHeartbeat) == 4U);
}

BOOST_AUTO_TEST_CASE(keeps_a_newer_roster_that_has_it_and_fits) {
  hearRoster(3, /*self=*/999);
  BOOST_TEST(generations.empty());
  hearRoster(2);
  hearRoster(1);
  hearRoster(2);
  hearRoster(3, /*self=*/999);
  accepts = false;
  hearRoster(4);
  hear(MessageType::kRoster, "{");
  accepts = is_ready = true;
  hearRoster(5);

  BOOST_TEST((generations == std::vector<std::uint32_t>{2, 5}));
  BOOST_TEST(client.ignored() == 6U);
  BOOST_TEST(client.header(MessageType::kPush).generation == 5U);
  BOOST_TEST(ends.empty());
}

BOOST_AUTO_TEST_CASE(a_roster_that_comes_before_it_has_halted_is_the_end) {
  client.onPeerUp();
  hearRoster(1);
  hearRoster(2);
  hearRoster(3);

  BOOST_TEST(generations == std::vector<std::uint32_t>{1}, boost::test_tools::per_element());
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((ends[0].first == ExitCode::kLostPeers));
  BOOST_TEST((link.sent.back().header.type == MessageType::kGoodbye));
}

BOOST_DATA_TEST_CASE_F(Fixture, ends_once_as_the_coordinator_says,
                       boost::unit_test::data::make(kEnds), how) {
  client.onPeerUp();
  hear(how.type, "why", how.value);
  hear(MessageType::kAbort, "again");
  hear(MessageType::kPrepare);
  pass(std::chrono::seconds(20));
  client.leave();

  checkEnd(static_cast<ExitCode>(how.code), "why");
  BOOST_TEST(others.empty());
  BOOST_TEST(link.count(MessageType::kGoodbye) == 1U);
  BOOST_TEST((sent().back() == MessageType::kGoodbye));
}

BOOST_AUTO_TEST_CASE(what_is_of_the_owner_is_handed_to_it) {
  hear(MessageType::kPrepare);
  hear(MessageType::kHeartbeat);
  hear(MessageType::kWeightsCrc);
  BOOST_TEST((others == Types{MessageType::kPrepare, MessageType::kWeightsCrc}));
}

BOOST_AUTO_TEST_CASE(a_probe_is_answered_at_once_where_an_answer_is_asked_for) {
  hear(MessageType::kProbe, std::string(1000, 'x'));
  BOOST_TEST(link.sent.empty());
  hear(MessageType::kProbe, "x", /*value=*/17);
  BOOST_TEST((sent() == Types{MessageType::kEcho}));
  BOOST_TEST(link.sent[0].header.value == 17U);
  BOOST_TEST(link.sent[0].payload.empty());
  BOOST_TEST(others.empty());
}

BOOST_AUTO_TEST_CASE(names_the_coordinator_that_falls_silent) {
  client.onPeerUp();
  hear(MessageType::kHeartbeat);
  pass(std::chrono::milliseconds(2750));
  BOOST_TEST(ends.empty());
  pass(std::chrono::milliseconds(250));
  checkEnd(ExitCode::kLostPeers, "lost the coordinator, server 0 (no heartbeat for 3 s)");
}

BOOST_AUTO_TEST_CASE(waits_for_a_coordinator_that_never_answered_for_as_long_as_it_lives) {
  client.onPeerUp();
  pass(std::chrono::minutes(1));
  BOOST_TEST(ends.empty());
  BOOST_TEST(link.reconnected.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_coordinator_that_was_started_again_has_lost_the_job) {
  hear(MessageType::kHeartbeat);
  hear(MessageType::kHeartbeat, {}, 0, /*incarnation=*/201);
  checkEnd(ExitCode::kLostPeers, "lost the coordinator: server 0 was started again");
}

BOOST_AUTO_TEST_CASE(a_text_is_cut_to_the_largest_control_payload) {
  client.tell(MessageType::kProgress, 0, 0, std::string(wire::kMaxControlPayload + 1, 'x'));
  BOOST_TEST(link.sent.back().payload.size() == wire::kMaxControlPayload);
}

// Leaving

BOOST_AUTO_TEST_CASE(leaves_at_once_before_it_was_connected) {
  client.leave();
  checkStop("unanswered.txt");
  BOOST_TEST(link.sent.empty());
}

BOOST_AUTO_TEST_CASE(leaves_at_once_and_says_so_before_the_coordinator_has_answered) {
  client.onPeerUp();
  link.sent.clear();
  client.leave();
  checkStop("unanswered.txt");
  BOOST_TEST((sent() == Types{MessageType::kLeave, MessageType::kGoodbye}));
}

// It once left without a word: the coordinator, which knew it, ended the job with 75 after 3 s.
BOOST_AUTO_TEST_CASE(
    cut_off_between_joining_and_the_answer_says_on_the_next_connection_that_it_leaves) {
  client.onPeerUp();
  client.onPeerDown();
  client.leave();
  BOOST_TEST(ends.empty());
  link.sent.clear();

  client.onPeerUp();

  BOOST_TEST((sent() == Types{MessageType::kJoin, MessageType::kProgress, MessageType::kLeave}));
  hear(MessageType::kRelease, "why");
  checkEnd(ExitCode::kStopped, "why");
}

BOOST_AUTO_TEST_CASE(cut_off_for_two_seconds_says_how_it_and_the_others_end) {
  client.onPeerUp();
  client.onPeerDown();
  client.leave();
  pass(std::chrono::milliseconds(1750));
  BOOST_TEST(ends.empty());
  pass(std::chrono::milliseconds(250));
  checkStop("cut_off.txt");
}

BOOST_AUTO_TEST_CASE(told_on_another_connection_without_an_answer_says_so) {
  client.onPeerUp();
  client.onPeerDown();
  client.leave();
  client.onPeerUp();
  pass(std::chrono::seconds(2));
  checkStop("told_on_another_connection.txt");
}

BOOST_AUTO_TEST_CASE(once_answered_it_has_the_time_of_a_stop) {
  client.onPeerUp();
  client.onPeerDown();
  client.leave();
  client.onPeerUp();
  for (int i = 0; i < 12; ++i) {
    hear(MessageType::kHeartbeat);
    pass(std::chrono::seconds(1));
  }
  BOOST_TEST(ends.empty());
  hear(MessageType::kHeartbeat);
  pass(std::chrono::seconds(1));
  checkStop("answered_once.txt");
}

BOOST_AUTO_TEST_CASE(asks_for_no_echo_where_nothing_is_traced) {
  client.onPeerUp();
  pass(std::chrono::seconds(1));
  for (const auto& message : link.sent)
    if (message.header.type == MessageType::kHeartbeat) BOOST_TEST(message.header.value == 0U);
}

BOOST_AUTO_TEST_CASE(aligns_its_clock_by_echoes_one_after_the_other_and_then_with_heartbeats) {
  constexpr Duration kAhead = std::chrono::hours(5);
  constexpr Duration kWay = std::chrono::microseconds(20);
  ManualClock clock;
  clock.advance(std::chrono::hours(2));
  trace::Recorder recorder({1, 1}, clock);
  client.alignClockOf(&recorder);
  const auto echo = [&] {
    Header header = link.sent.back().header;
    BOOST_TEST_REQUIRE((header.type == MessageType::kHeartbeat && header.value != 0));
    clock.advance(kWay);
    header.sender = {kCoordinator, 200};
    header.first = trace::stampOf(clock.now() + kAhead);
    clock.advance(kWay);
    client.onMessage(header, {});
  };
  client.onPeerUp();
  for (int i = 0; i < 8; ++i)
    echo();
  const std::size_t before = link.sent.size();
  hear(MessageType::kHeartbeat);  // without an echo
  BOOST_TEST(link.sent.size() == before);
  pass(std::chrono::milliseconds(250));
  BOOST_TEST(link.sent.size() == before + 1);
  echo();

  const auto offset = recorder.content().offset;
  BOOST_TEST_REQUIRE(offset.has_value());
  BOOST_TEST(offset->echoes == 9U);
  BOOST_TEST((offset->to_coordinator == kAhead));
  BOOST_TEST((offset->uncertainty == kWay));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::membership_test
