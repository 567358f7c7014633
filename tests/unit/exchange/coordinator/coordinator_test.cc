#include "exchange/coordinator/coordinator.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "job/progress/job_event.h"
#include "tests/support/golden.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/exchange/coordinator/coordinator_fixture.h"

namespace sumac::coordinator_test {

namespace {

using wire::Header;
using wire::MessageType;

constexpr Slot kWorker0{Role::kWorker, 0};
constexpr Slot kWorker1{Role::kWorker, 1};

struct Fixture : CoordinatorFixture {
  Fixture() : CoordinatorFixture(/*servers=*/1) {}

  void say(Slot from, MessageType type, std::string_view text = {}, Step step = 0,
           std::uint64_t value = 0, Incarnation incarnation = 0) {
    Header header;
    header.type = type;
    header.step = step;
    header.value = value;
    CoordinatorFixture::say(from, incarnation != 0 ? incarnation : Incarnation(10 + from.index),
                            header, text);
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
  void pass(int milliseconds, const std::vector<Slot>& living = {}) {
    for (int i = 0; i < milliseconds; i += 50) {
      now += std::chrono::milliseconds(50);
      for (const Slot slot : living)
        say(slot, MessageType::kHeartbeat);
      coordinator.onTick(now);
    }
  }
  /// The last message to `slot` of this type.
  const Header& last(Slot slot, MessageType type) const {
    const auto found = std::find_if(link.sent.rbegin(), link.sent.rend(), [&](const auto& sent) {
      return sent.to.slot == slot && sent.header.type == type;
    });
    BOOST_TEST_REQUIRE((found != link.sent.rend()));
    return found->header;
  }
  static std::uint64_t toValue(wire::Commit how) { return static_cast<std::uint64_t>(how); }
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

BOOST_AUTO_TEST_CASE(who_joins_again_gets_the_roster_and_the_phase_and_nobody_else_anything) {
  begin();
  coordinator.requestStop(kWorker1);
  say(kWorker0, MessageType::kPrepared, {}, 5);
  say(kWorker1, MessageType::kPrepared, {}, 6);
  link.sent.clear();
  join(kWorker1);
  BOOST_TEST(link.count(MessageType::kRoster) == 1U);
  for (const auto& sent : link.sent)
    BOOST_TEST((sent.to.slot == kWorker1));
  BOOST_TEST_REQUIRE(link.count(MessageType::kCommit) == 1U);
  BOOST_TEST(link.sent.back().header.step == 6);
  BOOST_TEST(rosters.size() == 1U);
}

// Nor does one that was started again: the first is noticed by its silence.
BOOST_AUTO_TEST_CASE(a_second_process_for_a_slot_ends_and_does_not_disturb_the_first) {
  begin();
  join(kWorker1, 99);
  BOOST_TEST_REQUIRE(link.sent.size() == 1U);
  BOOST_TEST((link.sent[0].to.slot == kWorker1));
  BOOST_TEST(link.answered.back().value() == 99U);  // and nobody else
  BOOST_TEST((link.sent[0].header.type == MessageType::kAbort));
  BOOST_TEST(link.sent[0].header.value == 75U);
  test::checkGolden("exchange/coordinator/second_process.txt",
                    std::string(asText(link.sent[0].payload)) + "\n");
  BOOST_TEST(coordinator.ignored() == 1U);
  pass(2000, {kWorker0});
  join(kWorker1, 99);  // is no sign of life of the first
  say(kWorker1, MessageType::kGoodbye, {}, 0, 0, 99);
  BOOST_TEST(ends.empty());
  pass(1050, {kWorker0});
  BOOST_TEST(last(kWorker0, MessageType::kAbort).value == 75U);
  join(kWorker1, 99);
  BOOST_TEST(last(kWorker1, MessageType::kAbort).value == 75U);
}

BOOST_AUTO_TEST_CASE(leaves_soon_after_the_end_when_goodbyes_do_not_come) {
  begin();
  say(kWorker0, MessageType::kFinished, "{}");
  say(kWorker1, MessageType::kFinished);
  BOOST_TEST(link.count(MessageType::kComplete) == 2U);
  pass(1450);
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
  test::checkGolden("exchange/coordinator/stop.txt", ends[0].second + "\n");
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

// As when worker 1 was halted by SIGSTOP: it does not even answer PREPARE.
BOOST_AUTO_TEST_CASE(a_worker_that_is_lost_in_a_stop_costs_neither_the_stop_nor_the_checkpoint) {
  begin();
  coordinator.requestStop(kSelf);
  say(kWorker0, MessageType::kPrepared, {}, 5);
  pass(2950, {kWorker0});
  BOOST_TEST(link.count(MessageType::kCommit) == 0U);
  pass(100, {kWorker0});
  BOOST_TEST(last(kWorker0, MessageType::kCommit).value ==
             toValue(wire::Commit::kStopNowAndCheckpoint));
  BOOST_TEST(link.count(MessageType::kAbort) == 0U);

  say(kWorker0, MessageType::kWeightsCrc, {}, 4, 77);
  BOOST_TEST(last(kWorker0, MessageType::kWeightsCrc).step == 4);
  say(kWorker0, MessageType::kCheckpointed, {}, 4);
  BOOST_TEST(progress.back() == R"({"event":"checkpoint","step":4})");
  say(kWorker0, MessageType::kFinished, {}, 4, 1);
  say(kWorker0, MessageType::kGoodbye);
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 143);
  test::checkGolden("exchange/coordinator/stop_with_a_loss.txt", ends[0].second + "\n");
}

BOOST_AUTO_TEST_CASE(the_next_worker_writes_where_worker_0_is_lost) {
  begin();
  coordinator.requestStop(kSelf);
  pass(3050, {kWorker1});
  BOOST_TEST(last(kWorker1, MessageType::kCommit).value ==
             toValue(wire::Commit::kStopNowAndCheckpoint));
  say(kWorker1, MessageType::kWeightsCrc, {}, 4, 77);
  BOOST_TEST(last(kWorker1, MessageType::kWeightsCrc).step == 4);
}

// Its connection broke, and with it the answer was lost: a new one has all that it said again.
BOOST_AUTO_TEST_CASE(a_writer_that_says_its_weights_again_is_answered_again) {
  begin();
  coordinator.requestStop(kSelf);
  pass(3050, {kWorker0});
  say(kWorker0, MessageType::kWeightsCrc, {}, 4, 77);
  say(kWorker0, MessageType::kWeightsCrc, {}, 4, 77);
  BOOST_TEST(link.count(MessageType::kWeightsCrc) == 2U);
  say(kWorker0, MessageType::kCheckpointed, {}, 4);
  BOOST_TEST(progress.back() == R"({"event":"checkpoint","step":4})");
}

// Its session answers, its trainer does not.
BOOST_AUTO_TEST_CASE(a_worker_that_hangs_in_a_stop_is_named_within_12_s) {
  begin();
  coordinator.requestStop(kSelf);
  say(kWorker0, MessageType::kPrepared, {}, 5);
  say(kWorker1, MessageType::kPrepared, {}, 5);
  pass(7950, {kWorker0, kWorker1});
  BOOST_TEST(last(kWorker0, MessageType::kCommit).step == 5);
  pass(50, {kWorker0, kWorker1});
  BOOST_TEST(last(kWorker0, MessageType::kCommit).value ==
             toValue(wire::Commit::kStopNowAndCheckpoint));
  BOOST_TEST(last(kWorker1, MessageType::kCommit).value == toValue(wire::Commit::kStopNow));

  say(kWorker0, MessageType::kWeightsCrc, {}, 4, 77);
  BOOST_TEST(link.count(MessageType::kWeightsCrc) == 0U);  // worker 1 may have another
  pass(2000, {kWorker0, kWorker1});
  BOOST_TEST(link.count(MessageType::kWeightsCrc) == 1U);
  say(kWorker0, MessageType::kFinished, {}, 4, 1);
  pass(1950, {kWorker0, kWorker1});
  BOOST_TEST(link.count(MessageType::kRelease) == 0U);
  pass(50, {kWorker0, kWorker1});
  BOOST_TEST(link.count(MessageType::kRelease) == 2U);
  test::checkGolden("exchange/coordinator/stop_with_a_hang.txt",
                    std::string(asText(link.sent.back().payload)) + "\n");
  pass(2000);
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 143);
}

BOOST_AUTO_TEST_CASE(weights_that_differ_become_no_checkpoint_in_a_stop_either) {
  begin();
  coordinator.requestStop(kSelf);
  pass(8000, {kWorker0, kWorker1});
  say(kWorker0, MessageType::kWeightsCrc, {}, 4, 77);
  say(kWorker1, MessageType::kWeightsCrc, {}, 4, 78);
  BOOST_TEST(link.count(MessageType::kWeightsCrc) == 0U);
  BOOST_TEST(link.count(MessageType::kAbort) == 2U);
}

BOOST_AUTO_TEST_CASE(who_was_lost_in_a_stop_is_not_heard_again) {
  begin();
  coordinator.requestStop(kSelf);
  pass(3050, {kWorker0});
  say(kWorker1, MessageType::kFinished, {}, 9, 1);
  say(kWorker1, MessageType::kAbort, "x");
  BOOST_TEST(coordinator.ignored() == 2U);
  BOOST_TEST(ends.empty());
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

BOOST_AUTO_TEST_CASE(echoes_the_time_of_a_heartbeat_with_its_own_where_something_is_traced) {
  begin();
  say(kWorker0, MessageType::kHeartbeat, "", 0, 17);
  BOOST_TEST(link.sent.empty());
  ManualClock clock;
  clock.advance(std::chrono::hours(2));
  trace::Recorder recorder({1, 1}, clock);
  coordinator.alignClocksWith(&recorder);

  say(kWorker0, MessageType::kHeartbeat);
  BOOST_TEST(link.sent.empty());
  say(kWorker0, MessageType::kHeartbeat, "", 0, 17);

  const Header& echo = last(kWorker0, MessageType::kHeartbeat);
  BOOST_TEST(echo.value == 17U);
  BOOST_TEST(echo.first == trace::stampOf(clock.now()));
  BOOST_TEST((recorder.content().offset->uncertainty == Duration::zero()));
}

BOOST_AUTO_TEST_CASE(progress_names_a_worker_that_slows_the_others) {
  begin();
  const auto beat = [&](Slot worker, Step steps, std::uint32_t milliseconds) {
    Header header;
    header.type = MessageType::kHeartbeat;
    header.step = steps;
    header.range = milliseconds;
    CoordinatorFixture::say(worker, 10 + static_cast<Incarnation>(worker.index), header, "");
  };
  const auto report = [&](const std::string& straggler) {
    say(kWorker0, MessageType::kProgress,
        R"({"event":"interim","step":1,"totalSteps":9,"epoch":1,"straggler":)" + straggler + "}");
    return std::get<Interim>(*jobEventFromLine(progress.back())).progress.straggler;
  };
  beat(kWorker0, 0, 0);
  beat(kWorker1, 0, 0);
  BOOST_TEST(!report(R"({"worker":1,"slowdown":9})"));
  coordinator.onTick(now += std::chrono::seconds(2));
  beat(kWorker0, 10, 100);
  beat(kWorker1, 10, 250);
  BOOST_TEST((report("null") == Straggler{1, 2.5}));
}

BOOST_AUTO_TEST_CASE(tells_who_writes_the_result_where_the_time_of_all_went) {
  begin();
  const WorkerTimes first{0, 4, 2, 1, 0.5, 0.25};
  const WorkerTimes second{9, 5, 2, 1, 0.5, 0.25};  // of whom it says is not believed
  say(kWorker0, MessageType::kWeightsCrc, toText({&first, 1}), 100, 7);
  say(kWorker1, MessageType::kWeightsCrc, toText({&second, 1}), 100, 7);

  const auto times = workerTimesFromText(asText(link.sent.back().payload));
  BOOST_TEST((link.sent.back().header.type == MessageType::kWeightsCrc));
  BOOST_TEST_REQUIRE(times.size() == 2U);
  BOOST_TEST((times[0] == first));
  BOOST_TEST(times[1].worker == 1);
  BOOST_TEST(times[1].seconds == 5.0);
}

BOOST_AUTO_TEST_CASE(times_that_are_none_do_not_keep_weights_from_being_agreed_on) {
  begin();
  say(kWorker0, MessageType::kWeightsCrc, "[{}]", 100, 7);
  say(kWorker1, MessageType::kWeightsCrc, std::string(10'000, '['), 100, 7);

  BOOST_TEST_REQUIRE(link.count(MessageType::kWeightsCrc) == 1U);
  BOOST_TEST(link.sent.back().payload.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::coordinator_test
