#include "operator/trainingjob/policy/suspension.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::suspension_test {

BOOST_AUTO_TEST_SUITE(suspension)

BOOST_FIXTURE_TEST_CASE(from_creation_makes_nothing, JobFixture) {
  job.suspend = true;
  settle();
  BOOST_TEST(creations == 0);
  BOOST_TEST(status_writes == 1);
  BOOST_TEST(status().state == "Suspended");
  BOOST_TEST(status().isTrue("Suspended"));
  BOOST_TEST(!status().start_time.has_value());
}

BOOST_FIXTURE_TEST_CASE(from_creation_ends_with_the_first_attempt, JobFixture) {
  job.suspend = true;
  settle();
  advance(seconds(100));
  job.suspend = false;
  start();
  BOOST_TEST(status().attempt == 0);
  BOOST_TEST(status().state == "Running");
  BOOST_CHECK(status().start_time == now);
}

BOOST_FIXTURE_TEST_CASE(is_written_down_before_pods_are_deleted, JobFixture) {
  start();
  job.suspend = true;

  const Decision decision = pass();

  BOOST_TEST(decision.actions.empty());
  BOOST_TEST(status().state == "Suspending");
  BOOST_TEST(!status().isTrue("Suspended"));
  BOOST_TEST(!status().isTrue("Running"));
}

BOOST_FIXTURE_TEST_CASE(warns_when_training_starts_again_at_step_0, JobFixture) {
  record.keeps_checkpoints = false;
  start();
  job.suspend = true;
  pass();
  BOOST_TEST(hasEvent("NoCheckpoint"));
  BOOST_TEST(condition("Suspended").message.find("step 0") != std::string::npos);
  pods.clear();
  settle();
  BOOST_TEST(status().state == "Suspended");
  BOOST_TEST(condition("Suspended").message.find("step 0") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(names_the_newest_checkpoint_where_later_ones_were_skipped, JobFixture) {
  start();
  advance(seconds(100));
  observed.progress = Progress();
  observed.progress->step = 100;
  observed.progress->total_steps = 1000;
  observed.progress->checkpoint = 60;
  observed.progress->skipped = 80;
  job.suspend = true;
  pass();
  pods.clear();
  settle();
  const std::string message = condition("Suspended").message;
  BOOST_TEST(message.find(" step 60") != std::string::npos, message);
}

BOOST_FIXTURE_TEST_CASE(does_not_warn_when_a_checkpoint_is_kept, JobFixture) {
  start();
  job.suspend = true;
  settle();
  BOOST_TEST(!hasEvent("NoCheckpoint"));
}

BOOST_FIXTURE_TEST_CASE(is_true_when_all_pods_are_gone_and_not_before, JobFixture) {
  start();
  job.suspend = true;
  settle();
  letGo();
  settle();
  BOOST_TEST(status().state == "Suspending");
  letGo();
  settle();
  BOOST_TEST(status().state == "Suspended");
  BOOST_TEST(status().workers == "0/2");
  BOOST_TEST(status().worker.active == 0);
}

BOOST_FIXTURE_TEST_CASE(names_a_pod_that_does_not_go, JobFixture) {
  start();
  job.suspend = true;
  settle();
  pod(kWorker0).grace_seconds = 0;  // force was tried
  remove(kWorker1);
  advance(seconds(90));
  settle();
  BOOST_TEST(status().state == "Suspending");
  BOOST_TEST(condition("Running").reason == "DeletionOverdue");
  BOOST_TEST(condition("Running").message.starts_with("pod lenet5-worker-0 "));
}

BOOST_FIXTURE_TEST_CASE(counts_nothing_whatever_the_pods_end_with, JobFixture) {
  start();
  job.suspend = true;
  settle();
  endAll(143);
  settle();
  letGo();
  settle();
  job.suspend = false;
  start();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().restarts == 0);
  BOOST_TEST(status().disruptions == 0);
  BOOST_TEST(status().recovery.failures == 0);
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(!status().last_failure.has_value());
}

BOOST_FIXTURE_TEST_CASE(resumed_takes_templates_and_size_as_they_are_now, JobFixture) {
  start();
  job.suspend = true;
  replacePods();
  job.template_hash = "other templates";
  job.worker_replicas = 3;
  job.meta.generation = 3;
  settle();
  BOOST_TEST(status().observed_generation == 3);
  advance(seconds(100));
  created.clear();
  job.suspend = false;

  const Decision decision = pass();

  BOOST_TEST(decision.actions.empty());
  BOOST_TEST(status().template_hash == "other templates");
  BOOST_TEST(status().worker.desired == 3);
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().state == "Pending");
  BOOST_CHECK(status().start_time == now);
  settle();
  BOOST_TEST(created.size() == 4);
}

BOOST_FIXTURE_TEST_CASE(resumed_with_more_workers_than_parts_runs_with_as_many_as_parts,
                        JobFixture) {
  record.logical_workers = 2;
  start();
  job.suspend = true;
  settle();
  pods.clear();
  settle();
  job.worker_replicas = 4;
  job.suspend = false;
  settle();

  BOOST_TEST(status().worker.desired == 2);
  BOOST_TEST(condition("Running").message.find("spec.worker.replicas is 4") != std::string::npos);
  BOOST_TEST(hasEvent("WorkersLimited"));
  start();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().workers == "2/2");
  BOOST_TEST(condition("Running").message.find("spec.worker.replicas is 4") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(resumed_before_all_pods_are_gone_still_ends_their_attempt, JobFixture) {
  start();
  job.suspend = true;
  pass();
  pass();
  job.suspend = false;
  restartFully();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().disruptions == 0);
  BOOST_TEST(pod(kWorker0).attempt == 1);
}

BOOST_FIXTURE_TEST_CASE(costs_two_writes_each_way, JobFixture) {
  start();
  const int before = status_writes;
  job.suspend = true;
  replacePods();
  BOOST_TEST(status_writes == before + 2);
  job.suspend = false;
  start();
  BOOST_TEST(status_writes == before + 4);
}

BOOST_FIXTURE_TEST_CASE(does_not_hide_that_training_is_complete, JobFixture) {
  start();
  job.suspend = true;
  settle();
  end(kWorker0, 0, kResult);
  settle();
  BOOST_TEST(status().state == "Succeeded");
}

BOOST_FIXTURE_TEST_CASE(deletes_pods_that_appear_afterwards, JobFixture) {
  start();
  const std::vector<api::Pod> late = pods;
  job.suspend = true;
  settle();
  pods.clear();
  settle();
  BOOST_TEST(status().state == "Suspended");
  pods = late;
  deleted.clear();
  settle();
  BOOST_TEST(deleted.size() == 2);
  BOOST_TEST(status().state == "Suspended");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::suspension_test
