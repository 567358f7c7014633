#include <chrono>
#include <csignal>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/cli/run/supervised_members.h"

// Members of a job that may change: they are started again, come and go.

namespace sumac::cli::supervisor_test {
namespace {

/// All have joined a job whose members may change, and are started again so often.
Supervisor changing(int restarts = 3) {
  Supervisor supervisor(1, 2, Supervisor::Changes{restarts});
  supervisor.start(kStart);
  supervisor.ready(kStart);
  supervisor.rosterBegan({kServer0, kWorker0, kWorker1});
  return supervisor;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(supervisor)

BOOST_AUTO_TEST_CASE(starts_a_member_again_at_once_then_after_a_pause) {
  auto supervisor = changing();

  BOOST_TEST(starts(supervisor.ended(kWorker1, kKilled, kStart), kWorker1));
  BOOST_TEST(supervisor.takeRestarts().size() == 1U);
  BOOST_TEST(supervisor.ended(kWorker1, kKilled, kStart).empty());
  BOOST_TEST((supervisor.deadline() == kStart + seconds(1)));
  BOOST_TEST(supervisor.tick(kStart + seconds(1) - milliseconds(1)).empty());
  BOOST_TEST(starts(supervisor.tick(kStart + seconds(1)), kWorker1));
  BOOST_TEST(!supervisor.deadline().has_value());
  BOOST_TEST(supervisor.takeRestarts().front().number == 2);
  BOOST_TEST(!supervisor.failure().has_value());
}

BOOST_AUTO_TEST_CASE(ends_the_run_with_a_checkpoint_when_a_member_was_started_again_in_vain) {
  auto supervisor = changing(1);
  supervisor.ended(kWorker1, {134, 0}, kStart);

  supervisor.ended(kWorker1, {134, 0}, kStart);

  BOOST_TEST(all(supervisor.tick(kStart), Action::Kind::kTerminate, 2));
  BOOST_TEST(supervisor.tick(kStart + seconds(14)).empty());  // they write a checkpoint
  for (const Slot slot : {kServer0, kWorker0})
    supervisor.ended(slot, {143, 0}, kStart + seconds(14));
  BOOST_TEST(supervisor.isOver());
  BOOST_TEST(toInt(supervisor.exitCode()) == 134);
  BOOST_TEST(failedBy(supervisor, Failure::Kind::kEnded, kWorker1));
  BOOST_TEST(supervisor.failure()->restarts == 1);
}

BOOST_AUTO_TEST_CASE(starts_nobody_again_who_knew_why_it_ended) {
  auto supervisor = changing();

  BOOST_TEST(supervisor.ended(kWorker1, {1, 0}, kStart).empty());

  BOOST_TEST(all(supervisor.tick(kStart + milliseconds(200)), Action::Kind::kTerminate, 2));
  BOOST_TEST(failedBy(supervisor, Failure::Kind::kEnded, kWorker1));
}

BOOST_AUTO_TEST_CASE(the_coordinator_has_10_s_to_listen_each_time) {
  auto supervisor = changing();

  BOOST_TEST(starts(supervisor.ended(kServer0, kKilled, kStart), kServer0));
  BOOST_TEST((supervisor.deadline() == kStart + seconds(10)));
  BOOST_TEST(supervisor.ready(kStart).empty());
  BOOST_TEST(!supervisor.deadline().has_value());

  supervisor.ended(kServer0, kKilled, kStart);
  supervisor.tick(kStart + seconds(1));
  supervisor.tick(kStart + seconds(11));
  BOOST_TEST(failedBy(supervisor, Failure::Kind::kNotReady, kServer0));
}

BOOST_AUTO_TEST_CASE(all_that_end_are_started_again) {
  auto supervisor = changing();
  for (const Slot slot : {kWorker1, kServer0, kWorker0})
    BOOST_TEST(supervisor.ended(slot, kLost, kStart).empty());
  BOOST_TEST(supervisor.takeRestarts().empty());

  BOOST_TEST(all(supervisor.tick(kStart + milliseconds(200)), Action::Kind::kStart, 3));
  BOOST_TEST(supervisor.takeRestarts().size() == 3U);
  BOOST_TEST(!supervisor.isOver());
}

BOOST_AUTO_TEST_CASE(says_nothing_of_those_that_follow_where_the_cause_ends_the_run) {
  auto supervisor = changing();
  supervisor.ended(kServer0, kLost, kStart);

  supervisor.ended(kWorker0, {1, 0}, kStart + milliseconds(199));

  BOOST_TEST(all(supervisor.tick(kStart + seconds(1)), Action::Kind::kTerminate, 1));
  BOOST_TEST(supervisor.takeRestarts().empty());
  BOOST_TEST(failedBy(supervisor, Failure::Kind::kEnded, kWorker0));
}

// Or it would wait for the one that could be spared before.
BOOST_AUTO_TEST_CASE(a_coordinator_that_is_started_again_needs_all_members) {
  auto supervisor = changing();
  supervisor.dispensable(kWorker1);
  BOOST_TEST(supervisor.ended(kWorker1, kLost, kStart).empty());

  const auto actions = supervisor.ended(kServer0, kKilled, kStart);

  BOOST_TEST(all(actions, Action::Kind::kStart, 2));
  BOOST_TEST(supervisor.ended(kWorker1, kLost, kStart).empty());
  BOOST_TEST(starts(supervisor.tick(kStart + milliseconds(200)), kWorker1));
}

BOOST_AUTO_TEST_CASE(a_signal_in_a_pause_stops_the_run) {
  auto supervisor = changing();
  for (const Slot slot : {kServer0, kWorker0, kWorker1, kServer0, kWorker0, kWorker1})
    supervisor.ended(slot, kKilled, kStart);

  BOOST_TEST(supervisor.signalled(SIGINT, kStart).empty());

  BOOST_TEST(supervisor.isOver());
  BOOST_TEST(toInt(supervisor.exitCode()) == 130);
  BOOST_TEST(!supervisor.failure().has_value());
}

BOOST_AUTO_TEST_CASE(nobody_is_started_again_once_there_is_a_result) {
  auto supervisor = changing();
  supervisor.complete();

  BOOST_TEST(supervisor.ended(kWorker0, kKilled, kStart).empty());

  BOOST_TEST(failedBy(supervisor, Failure::Kind::kEnded, kWorker0));
}

// It would ask for a coordinator that has ended.
BOOST_AUTO_TEST_CASE(who_has_not_joined_again_when_the_job_is_done_is_not_needed) {
  auto supervisor = changing();
  supervisor.ended(kWorker1, kKilled, kStart);
  supervisor.rosterBegan({kServer0, kWorker0});

  BOOST_TEST((supervisor.ended(kWorker0, kClean, kStart) ==
              std::vector<Action>{{Action::Kind::kKill, kWorker1}}));
  supervisor.ended(kWorker1, kKilled, kStart);
  supervisor.ended(kServer0, kClean, kStart);

  BOOST_TEST(supervisor.isOver());
  BOOST_TEST(toInt(supervisor.exitCode()) == 0);
}

BOOST_AUTO_TEST_CASE(more_workers_are_started_and_the_last_ones_asked_to_stop) {
  auto supervisor = changing();
  constexpr Slot kWorker2{Role::kWorker, 2};

  BOOST_TEST(starts(supervisor.resize(3, kStart), kWorker2));
  BOOST_TEST(
      (supervisor.resize(1, kStart) == std::vector<Action>{{Action::Kind::kTerminate, kWorker1},
                                                           {Action::Kind::kTerminate, kWorker2}}));
  BOOST_TEST(supervisor.ended(kWorker2, {143, 0}, kStart).empty());
  BOOST_TEST(supervisor.tick(kStart + milliseconds(14'500)) ==
                 (std::vector<Action>{{Action::Kind::kKill, kWorker1}}),
             "one that does not stop is killed");
  BOOST_TEST(supervisor.ended(kWorker1, kKilled, kStart).empty());

  supervisor.ended(kWorker0, kClean, kStart);
  supervisor.ended(kServer0, kClean, kStart);
  BOOST_TEST(supervisor.isOver());
  BOOST_TEST(toInt(supervisor.exitCode()) == 0);
}

BOOST_AUTO_TEST_CASE(a_worker_that_leaves_and_is_wanted_again_is_started_when_it_has_left) {
  auto supervisor = changing();
  supervisor.resize(1, kStart);

  BOOST_TEST(supervisor.resize(2, kStart).empty());

  BOOST_TEST(starts(supervisor.ended(kWorker1, {143, 0}, kStart), kWorker1));
  BOOST_TEST(supervisor.takeRestarts().empty());
}

BOOST_AUTO_TEST_CASE(a_worker_in_a_pause_that_nobody_wants_is_not_started) {
  auto supervisor = changing();
  supervisor.ended(kWorker1, kKilled, kStart);
  supervisor.ended(kWorker1, kKilled, kStart);

  BOOST_TEST(supervisor.resize(1, kStart).empty());

  BOOST_TEST(supervisor.tick(kStart + seconds(1)).empty());
  BOOST_TEST(!supervisor.deadline().has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::supervisor_test
