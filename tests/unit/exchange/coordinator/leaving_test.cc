#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/coordinator/changing_fixture.h"

// Members that are asked to stop while the others train on (exchange/coordinator/changing.cc).

namespace sumac::leaving_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::Commit;
using wire::MessageType;

/// Worker 0 alone has the state, and leaves; worker 3 has joined and gets it.
struct LastFixture : TrainingFixture {
  LastFixture() {
    for (const Slot worker : {kWorker1, kWorker2})
      lose(worker);
    join(kWorker3);
    halted(kWorker0, 7);
    BOOST_TEST_REQUIRE(rosters.back().sources.size() == 1U);
    link.sent.clear();
    say(kWorker0, MessageType::kLeave);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(leaving, TrainingFixture)

BOOST_AUTO_TEST_CASE(who_leaves_is_released_when_its_last_step_is_done_and_told_so_again) {
  say(kWorker1, MessageType::kLeave);
  say(kWorker1, MessageType::kLeave);
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 7);
  BOOST_TEST(count(kWorker1, MessageType::kRelease) == 0U);
  haltAll(7);
  BOOST_TEST(count(kWorker1, MessageType::kRelease) == 1U);
  BOOST_TEST(rosters.back().workers() == 2);
  BOOST_TEST(rosters.back().sources.empty());

  join(kWorker1);
  BOOST_TEST(count(kWorker1, MessageType::kRelease) == 2U);
  BOOST_TEST(link.answered.back().value() == firstOf(kWorker1));
  pass(std::chrono::seconds(4), {kWorker1});  // that it is silent means nothing
  BOOST_TEST(link.count(MessageType::kCommit) == 3U);
  BOOST_TEST(ends.empty());
}

// One that has not got the state yet is none who could go on.
BOOST_FIXTURE_TEST_CASE(a_leave_of_the_last_that_has_the_state_waits_for_another_that_has,
                        LastFixture) {
  pass(seconds(7), {kWorker1, kWorker2});
  BOOST_TEST(link.count(MessageType::kPrepare) == 0U);
  say(kWorker3, MessageType::kReady);
  pass(kGather, {kWorker1, kWorker2});
  prepared({kWorker0, kWorker3}, 8);
  BOOST_TEST(count(kWorker3, MessageType::kCommit, Commit::kHaltAfter) == 1U);
  halted(kWorker0, 8);
  halted(kWorker3, 8);
  BOOST_TEST((rosters.back().writer == kWorker3));
  BOOST_TEST(rosters.back().workers() == 1);
  BOOST_TEST(count(kWorker0, MessageType::kRelease) == 1U);
}

BOOST_FIXTURE_TEST_CASE(it_is_a_stop_where_no_other_has_it_within_8_s, LastFixture) {
  pass(milliseconds(7900), {kWorker1, kWorker2});
  BOOST_TEST(link.count(MessageType::kPrepare) == 0U);
  pass(milliseconds(100), {kWorker1, kWorker2});
  BOOST_TEST(count(kWorker0, MessageType::kPrepare) == 1U);
  BOOST_TEST(count(kWorker3, MessageType::kPrepare) == 1U);
  prepared({kWorker0, kWorker3}, 8);
  BOOST_TEST(count(kWorker0, MessageType::kCommit, Commit::kStopAfter) == 1U);
}

BOOST_FIXTURE_TEST_CASE(it_is_a_stop_at_once_where_the_other_leaves_too, LastFixture) {
  say(kWorker3, MessageType::kLeave);
  BOOST_TEST(count(kWorker0, MessageType::kPrepare) == 1U);
  BOOST_TEST(count(kWorker3, MessageType::kPrepare) == 1U);
}

// It was a stop of all: of those that train none would have stayed.
BOOST_AUTO_TEST_CASE(who_leaves_alone_waits_for_those_that_have_joined_since) {
  for (const Slot worker : {kWorker1, kWorker2})
    lose(worker);
  halted(kWorker0, 7);
  join(kWorker3);
  say(kWorker0, MessageType::kLeave);
  pass(kGather, {kWorker1, kWorker2});
  prepared({kWorker0}, 8);
  BOOST_TEST(count(kWorker0, MessageType::kCommit, Commit::kHaltAfter) == 1U);
  halted(kWorker0, 8);
  BOOST_TEST(rosters.back().workers() == 2);
  BOOST_TEST((rosters.back().sources == std::map<Slot, Slot>{{kWorker3, kWorker0}}));
  BOOST_TEST(count(kWorker0, MessageType::kRelease) == 0U);

  say(kWorker3, MessageType::kReady);
  pass(kGather, {kWorker1, kWorker2});
  prepared({kWorker0, kWorker3}, 9);
  halted(kWorker0, 9);
  halted(kWorker3, 9);
  BOOST_TEST(count(kWorker0, MessageType::kRelease) == 1U);
  BOOST_TEST(rosters.back().workers() == 1);
  BOOST_TEST(ends.empty());
}

// One node alone mounts it.
BOOST_FIXTURE_TEST_CASE(the_checkpoint_of_a_stop_is_written_by_who_has_a_volume, ChangingFixture) {
  join(kServer1);
  joinWithVolume(kWorker0, {});
  join(kWorker1);
  join(kWorker2);
  wire::Header beat;
  beat.type = MessageType::kHeartbeat;
  say(kWorker1, beat);
  beat.count = 1;  // it works, as the others wait for it
  say(kWorker0, beat);
  coordinator.requestStop(kServer0);
  lose(kWorker2);
  BOOST_TEST(count(kWorker0, MessageType::kCommit, Commit::kStopNowAndCheckpoint) == 1U);
  BOOST_TEST(count(kWorker1, MessageType::kCommit, Commit::kStopNow) == 1U);
}

BOOST_AUTO_TEST_CASE(a_leave_of_the_coordinator_is_a_stop) {
  coordinator.requestStop(kServer0);
  prepared({kWorker0, kWorker1, kWorker2}, 8);
  BOOST_TEST(isToldToAll(Commit::kStopAfter));
}

BOOST_AUTO_TEST_CASE(a_stop_replaces_a_change_in_each_of_its_phases) {
  for (const std::string phase : {"gathering", "voting", "finishing", "halting"}) {
    TrainingFixture job;
    job.join(kWorker3);
    if (phase != "gathering") job.pass(kGather);
    if (phase == "finishing") job.prepared({kWorker0, kWorker1, kWorker2}, 8);
    if (phase == "halting") {
      job.lose(kServer1);
      job.halted(kWorker2, 7);
    }
    job.link.sent.clear();
    job.coordinator.requestStop(kServer0);
    for (const Slot slot : {kServer1, kWorker0, kWorker1, kWorker2, kWorker3})
      job.say(slot, MessageType::kLeave);
    BOOST_TEST(job.link.count(MessageType::kPrepare) == 3U, phase);
    BOOST_TEST(job.count(kWorker3, MessageType::kPrepare) == 0U);
    if (phase == "halting") {  // at once: who has halted finishes no step
      BOOST_TEST(job.count(kWorker0, MessageType::kCommit, Commit::kStopNowAndCheckpoint) == 1U);
      BOOST_TEST(job.count(kWorker1, MessageType::kCommit, Commit::kStopNow) == 1U);
    } else {
      job.prepared({kWorker0, kWorker1, kWorker2}, 8);
      BOOST_TEST(job.isToldToAll(Commit::kStopAfter), phase);
    }
    job.haltAll(8);  // too late
    job.pass(kGather);
    BOOST_TEST(job.rosters.size() == 1U, phase);
    for (const Slot worker : {kWorker0, kWorker1, kWorker2})
      job.stopped(worker, 8);
    BOOST_TEST(job.count(kWorker3, MessageType::kRelease) >= 1U, phase);
    BOOST_TEST(job.count(kWorker0, MessageType::kRelease) == 1U, phase);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::leaving_test
