#include "server/coordinator/coordinator.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/recording_link.h"

namespace sumac::server::coordinator_test {

namespace {

using wire::Header;
using wire::MessageType;

constexpr Slot kSelf{Role::kServer, 0};
constexpr Slot kWorker0{Role::kWorker, 0};
constexpr Slot kWorker1{Role::kWorker, 1};

Result<std::string> noLines(int /*vocabulary*/) {
  return std::string();
}

struct Fixture : CoordinatorListener {
  RecordingLink link;
  Coordinator coordinator{{7, {{{kSelf, 1}, "e"}, "", noLines, 2, 1}}, link, *this};
  TimePoint now{std::chrono::hours(1)};

  std::vector<Roster> rosters;
  std::vector<std::string> progress;
  std::vector<std::pair<ExitCode, std::string>> ends;

  Fixture() { coordinator.start(now); }
  void onRoster(const Roster& roster) override { rosters.push_back(roster); }
  void onProgress(const std::string& json) override { progress.push_back(json); }
  void onEnd(ExitCode code, const std::string& reason) override { ends.emplace_back(code, reason); }

  void say(Slot from, MessageType type, std::string_view text = {}, Step step = 0,
           std::uint64_t value = 0, Incarnation incarnation = 0) {
    Header header;
    header.type = type;
    header.job = 7;
    header.sender = {from, incarnation != 0 ? incarnation : Incarnation(10 + from.index)};
    header.step = step;
    header.value = value;
    coordinator.onMessage(from, header, asBytes(text));
  }
  void join(Slot from, Incarnation incarnation = 0) {
    JoinRequest request;
    request.kernels = {"baseline"};
    say(from, MessageType::kJoin, toJson(request), 0, planHash(""), incarnation);
  }
  void begin() {
    join(kWorker0);
    join(kWorker1);
    link.sent.clear();
  }
  void pass(int milliseconds) {
    for (int i = 0; i < milliseconds; i += 50) {
      now += std::chrono::milliseconds(50);
      coordinator.onTick(now);
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(coordinator_, Fixture)

BOOST_AUTO_TEST_CASE(all_get_the_first_roster) {
  join(kWorker0);
  BOOST_TEST(link.count(MessageType::kRoster) == 0U);
  join(kWorker1);
  BOOST_TEST(link.count(MessageType::kRoster) == 2U);
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST((rosters.front().order == RosterOrder{1, 1}));
}

BOOST_AUTO_TEST_CASE(joining_again_gives_all_the_next_generation_and_the_joiner_the_phase) {
  begin();
  coordinator.requestStop(kWorker1);
  say(kWorker0, MessageType::kPrepared, {}, 5);
  say(kWorker1, MessageType::kPrepared, {}, 6);
  link.sent.clear();
  join(kWorker1);
  BOOST_TEST(link.count(MessageType::kRoster) == 2U);
  BOOST_TEST_REQUIRE(link.count(MessageType::kCommit) == 1U);
  BOOST_TEST(link.sent.back().header.step == 6);
  BOOST_TEST(rosters.back().order.generation == 2U);
}

BOOST_AUTO_TEST_CASE(a_second_process_for_a_slot_ends_the_job) {
  begin();
  join(kWorker1, 99);
  BOOST_TEST(link.count(MessageType::kAbort) == 1U);  // to the other worker
  BOOST_TEST(link.sent.back().header.value == 75U);
  BOOST_TEST(asText(link.sent.back().payload) == "lost worker 1 (another process took its place)");
  say(kWorker0, MessageType::kGoodbye);
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 75);
}

BOOST_AUTO_TEST_CASE(leaves_two_seconds_after_the_end_when_goodbyes_do_not_come) {
  begin();
  say(kWorker0, MessageType::kFinished, "{}");
  say(kWorker1, MessageType::kFinished);
  BOOST_TEST(link.count(MessageType::kComplete) == 2U);
  pass(1950);
  BOOST_TEST(ends.empty());
  pass(50);
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 0);
  BOOST_TEST(ends[0].second == "{}");
}

BOOST_AUTO_TEST_CASE(who_missed_the_end_hears_of_it_when_joining_again) {
  begin();
  say(kWorker0, MessageType::kFinished, "{}");
  say(kWorker1, MessageType::kFinished);
  link.sent.clear();
  join(kWorker1);
  BOOST_TEST(link.count(MessageType::kComplete) == 1U);
  BOOST_TEST(link.count(MessageType::kRoster) == 0U);
}

BOOST_AUTO_TEST_CASE(a_stop_before_all_have_joined_ends_at_once) {
  join(kWorker0);
  coordinator.requestStop(kWorker1);
  BOOST_TEST(link.count(MessageType::kRelease) == 1U);
  say(kWorker0, MessageType::kGoodbye);
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 143);
  BOOST_TEST(ends[0].second == "worker 1 was asked to stop");
}

BOOST_AUTO_TEST_CASE(a_checkpoint_is_announced_when_all_have_the_same_weights) {
  begin();
  say(kWorker0, MessageType::kWeightsCrc, {}, 5, 77);
  say(kWorker0, MessageType::kCheckpointed, {}, 5);
  BOOST_TEST(link.count(MessageType::kWeightsCrc) == 0U);
  BOOST_TEST(progress.size() == 1U);  // the roster

  say(kWorker1, MessageType::kWeightsCrc, {}, 5, 77);
  BOOST_TEST_REQUIRE(link.count(MessageType::kWeightsCrc) == 1U);
  BOOST_TEST((link.sent.back().to.slot == kWorker0));
  BOOST_TEST(link.sent.back().header.step == 5);
  say(kWorker0, MessageType::kCheckpointed, {}, 5);
  BOOST_TEST(progress.back() == R"({"event":"checkpoint","step":5})");
}

BOOST_AUTO_TEST_CASE(who_reports_its_weights_again_is_answered_again) {
  begin();
  say(kWorker0, MessageType::kWeightsCrc, {}, 5, 77);
  say(kWorker1, MessageType::kWeightsCrc, {}, 5, 77);
  say(kWorker0, MessageType::kWeightsCrc, {}, 5, 77);
  BOOST_TEST(link.count(MessageType::kWeightsCrc) == 2U);
}

BOOST_AUTO_TEST_CASE(sends_heartbeats_to_all_who_joined) {
  join(kWorker0);
  pass(1000);
  BOOST_TEST(link.count(MessageType::kHeartbeat) == 4U);
}

BOOST_AUTO_TEST_CASE(ignores_what_is_not_from_a_member_or_not_of_this_job) {
  begin();
  say(kWorker1, MessageType::kAbort, "x", 0, 0, 99);
  say({Role::kWorker, 5}, MessageType::kLeave);
  say(kSelf, MessageType::kLeave);
  say(kWorker1, MessageType::kPush);
  say(kWorker1, static_cast<MessageType>(200));
  say(kWorker0, MessageType::kProgress, "[1]");
  say(kWorker0, MessageType::kProgress, "{\"step\":");
  say(kWorker1, MessageType::kProgress, "{}");
  say(kWorker0, MessageType::kProgress, std::string(100'000, ' '));
  BOOST_TEST(coordinator.ignored() == 9U);
  BOOST_TEST(link.sent.empty());
  BOOST_TEST(progress.size() == 1U);  // the roster
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::server::coordinator_test
