#include "operator/trainingjob/policy/deadlines.h"

#include <limits>

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::deadlines_test {

BOOST_AUTO_TEST_SUITE(active_deadline)

BOOST_FIXTURE_TEST_CASE(fails_the_job_when_it_is_reached, JobFixture) {
  job.run_policy.active_deadline_seconds = 3600;
  start();
  BOOST_CHECK(look().again_after == Duration(seconds(3600)));
  advance(seconds(3599));
  settle();
  BOOST_TEST(status().state == "Running");
  advance(seconds(1));
  pass();
  BOOST_TEST(status().state == "Failed");
  BOOST_TEST(condition("Failed").reason == "DeadlineExceeded");
  BOOST_TEST(condition("Failed").message.find("3600") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(counts_from_the_first_start_through_restarts, JobFixture) {
  job.run_policy.active_deadline_seconds = 100;
  start();
  advance(seconds(60));
  end(kWorker1, 139);
  restartFully();
  advance(seconds(40));
  settle();
  BOOST_TEST(status().state == "Failed");
}

BOOST_FIXTURE_TEST_CASE(does_not_count_while_suspended_and_begins_anew, JobFixture) {
  job.run_policy.active_deadline_seconds = 100;
  start();
  job.suspend = true;
  settle();
  pods.clear();
  settle();
  advance(seconds(1000));
  settle();
  BOOST_TEST(status().state == "Suspended");
  job.suspend = false;
  start();
  advance(seconds(99));
  settle();
  BOOST_TEST(status().state == "Running");
}

BOOST_FIXTURE_TEST_CASE(of_any_length_is_understood, JobFixture) {
  job.run_policy.active_deadline_seconds = std::numeric_limits<std::int64_t>::max();
  job.run_policy.pre_running_deadline_seconds = std::numeric_limits<std::int64_t>::max();
  job.run_policy.ttl_seconds_after_finished = std::numeric_limits<std::int64_t>::max();
  start();
  BOOST_TEST(status().state == "Running");
  end(kWorker0, 0, kResult);
  settle();
  BOOST_TEST(look().actions.empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(pre_running_deadline)

BOOST_FIXTURE_TEST_CASE(does_not_count_the_operators_own_pause, JobFixture) {
  job.run_policy.pre_running_deadline_seconds = 100;
  start();
  end(kWorker1, 139);
  settle();
  pods.clear();
  api::JobStatus paused = status();
  paused.recovery.not_before = now + seconds(300);
  job.status = paused;
  advance(seconds(399));
  settle();
  BOOST_TEST(status().state == "Restarting");
}

BOOST_FIXTURE_TEST_CASE(fails_a_job_whose_pods_never_all_run_and_says_why, JobFixture) {
  job.run_policy.pre_running_deadline_seconds = 600;
  settle();
  pod(kWorker1).unscheduled_reason = "Unschedulable";
  pod(kWorker1).unscheduled_message = "0/3 nodes are available: 3 Insufficient cpu.";
  settle();
  advance(seconds(600));
  pass();
  BOOST_TEST(status().state == "Failed");
  BOOST_TEST(condition("Failed").reason == "PreRunningDeadlineExceeded");
  BOOST_TEST(condition("Failed").message.find("Insufficient cpu") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(ends_with_running, JobFixture) {
  job.run_policy.pre_running_deadline_seconds = 600;
  start();
  advance(seconds(1000));
  settle();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(!look().again_after.has_value());
}

BOOST_FIXTURE_TEST_CASE(counts_from_resuming_a_job_that_was_created_suspended, JobFixture) {
  job.run_policy.pre_running_deadline_seconds = 600;
  job.suspend = true;
  settle();
  advance(seconds(1000));
  job.suspend = false;
  settle();
  advance(seconds(599));
  settle();
  BOOST_TEST(status().state == "Pending");
  advance(seconds(1));
  settle();
  BOOST_TEST(condition("Failed").reason == "PreRunningDeadlineExceeded");
}

BOOST_FIXTURE_TEST_CASE(does_not_count_while_another_number_of_workers_starts, JobFixture) {
  job.run_policy.pre_running_deadline_seconds = 600;
  job.min_replicas = 1;
  job.max_replicas = 4;
  start();
  job.worker_replicas = 1;
  replacePods();
  advance(seconds(100'000));
  settle();
  BOOST_TEST(status().state == "Restarting");
  makeReady();
  settle();
  BOOST_TEST(status().state == "Running");
  end(kWorker0, 139);
  settle();
  advance(seconds(600));
  settle();
  BOOST_TEST(condition("Failed").reason == "PreRunningDeadlineExceeded");  // no change of size
}

BOOST_FIXTURE_TEST_CASE(counts_for_a_job_that_never_ran_whatever_its_size, JobFixture) {
  job.run_policy.pre_running_deadline_seconds = 600;
  job.min_replicas = 1;
  job.max_replicas = 4;
  settle();
  advance(seconds(300));
  job.worker_replicas = 4;
  settle();
  advance(seconds(300));
  settle();
  BOOST_TEST(condition("Failed").reason == "PreRunningDeadlineExceeded");
}

BOOST_FIXTURE_TEST_CASE(begins_anew_with_a_restart, JobFixture) {
  job.run_policy.pre_running_deadline_seconds = 600;
  start();
  advance(seconds(1000));
  end(kWorker1, 139);
  replacePods();
  BOOST_TEST(status().state == "Restarting");
  advance(seconds(599));
  settle();
  BOOST_TEST(status().state == "Restarting");
  advance(seconds(1));
  settle();
  BOOST_TEST(status().state == "Failed");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::deadlines_test
