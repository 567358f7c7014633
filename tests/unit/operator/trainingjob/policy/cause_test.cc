#include "operator/trainingjob/policy/cause.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::cause_test {

BOOST_AUTO_TEST_SUITE(cause)

BOOST_FIXTURE_TEST_CASE(is_the_pod_that_failed_not_those_that_lost_it, JobFixture) {
  start();
  end(kServer0, 75);
  advance(seconds(2));
  end(kWorker1, 139);
  pass();
  BOOST_TEST(status().last_failure->pod_name == "lenet5-worker-1");
  BOOST_TEST(status().last_failure->exit_code.value() == 139);
}

BOOST_FIXTURE_TEST_CASE(is_the_earliest_of_several_failures, JobFixture) {
  start();
  end(kWorker1, 139);
  advance(seconds(2));
  end(kServer0, 134);
  pass();
  BOOST_TEST(status().last_failure->pod_name == "lenet5-worker-1");
}

BOOST_FIXTURE_TEST_CASE(is_the_disruption_that_came_before_a_crash, JobFixture) {
  start();
  end(kWorker1, 137);
  pod(kWorker1).disruption = "TerminationByKubelet";
  advance(seconds(2));
  end(kServer0, 134);
  pass();
  BOOST_TEST(status().disruptions == 1);
  BOOST_TEST(status().restarts == 0);
}

BOOST_FIXTURE_TEST_CASE(is_what_cannot_be_mended_whatever_came_first, JobFixture) {
  start();
  end(kWorker1, 139);
  advance(seconds(2));
  end(kServer0, 1, "the disk is full");
  pass();
  BOOST_TEST(status().isTrue("Failed"));
  BOOST_TEST(condition("Failed").reason == "FailedForGood");
}

BOOST_FIXTURE_TEST_CASE(is_waited_for_while_only_lost_peers_are_seen, JobFixture) {
  start();
  end(kWorker0, 75);

  const Decision decision = pass();

  BOOST_TEST(!decision.status.has_value());
  BOOST_TEST(decision.actions.empty());
  BOOST_CHECK(decision.again_after == Duration(kCauseWindow));
  advance(seconds(4));
  end(kWorker1, 137);
  pass();
  BOOST_TEST(status().last_failure->pod_name == "lenet5-worker-1");
}

BOOST_FIXTURE_TEST_CASE(is_the_loss_itself_when_nothing_explains_it_in_time, JobFixture) {
  start();
  end(kWorker0, 75);
  advance(kCauseWindow - seconds(1));
  BOOST_TEST(!pass().status.has_value());

  advance(seconds(1));
  pass();

  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().restarts == 1);
  BOOST_TEST(status().last_failure->reason == "LostPeers");
}

BOOST_FIXTURE_TEST_CASE(is_not_waited_for_when_all_pods_ended_with_consequences, JobFixture) {
  start();
  endAll(75);
  pass();
  BOOST_TEST(status().attempt == 1);
}

BOOST_FIXTURE_TEST_CASE(is_waited_for_longer_where_the_job_would_fail_for_good, JobFixture) {
  job.run_policy.backoff_limit = 0;
  start();
  end(kWorker0, 75);
  advance(kCauseWindow * 2);
  BOOST_TEST(!pass().status.has_value());

  pod(kWorker1).disruption = "DeletionByTaintManager";
  askDeletion(kWorker1);
  pass();

  BOOST_TEST(!status().isTrue("Failed"));
  BOOST_TEST(status().disruptions == 1);
}

BOOST_FIXTURE_TEST_CASE(is_no_failure_where_members_gave_up_waiting_for_a_pod_without_room,
                        JobFixture) {
  job.run_policy.backoff_limit = 0;
  settle();
  for (int attempt = 0; attempt < 5; ++attempt) {
    BOOST_TEST(status().attempt == attempt);
    advance(seconds(600));
    end(kServer0, 75, "no quorum");
    end(kWorker0, 75, "no quorum");
    settle();
    advance(kCauseWindow);  // worker 1 may still say why
    replacePods();
  }
  BOOST_TEST(!status().isTrue("Failed"));
  BOOST_TEST(status().restarts + status().disruptions + status().recovery.failures == 0);
  BOOST_TEST(!status().recovery.not_before.has_value());  // a pause would prolong the deadline
  BOOST_TEST(condition("Restarting").message.find("no quorum") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(is_counted_where_all_pods_have_started_and_lose_each_other, JobFixture) {
  settle();
  endAll(75);
  settle();
  BOOST_TEST(status().recovery.failures == 1);
}

BOOST_FIXTURE_TEST_CASE(is_counted_where_an_image_ends_without_a_result_before_others_start,
                        JobFixture) {
  settle();
  end(kServer0, 0);
  settle();
  advance(kCauseWindow);
  settle();
  BOOST_TEST(status().recovery.failures == 1);
}

BOOST_FIXTURE_TEST_CASE(is_counted_although_the_number_of_workers_changes_meanwhile, JobFixture) {
  job.run_policy.backoff_limit = 1;
  job.min_replicas = 1;
  job.max_replicas = 4;
  start();
  end(kWorker1, 139);
  restartFully();
  end(kWorker1, 139);
  job.worker_replicas = 1;

  settle();

  BOOST_TEST(status().attempt == 1);  // the others may still say that there was progress
  advance(kCauseWindow);
  settle();
  BOOST_TEST(condition("Failed").reason == "BackoffLimitExceeded");
}

BOOST_FIXTURE_TEST_CASE(is_a_deletion_nobody_saw_when_a_pod_of_a_running_job_is_gone, JobFixture) {
  start();
  remove(kWorker1);
  endAll(75);
  BOOST_TEST(!pass().status.has_value());
  BOOST_REQUIRE(looked_up.size() == 1);
  BOOST_CHECK(looked_up[0] == (LookUpPod{.slot = kWorker1, .attempt = 0}));
  pass();
  BOOST_TEST(status().disruptions == 1);
  BOOST_TEST(status().restarts == 0);
  BOOST_TEST(status().last_failure->pod_name == "lenet5-worker-1");
  BOOST_TEST(status().last_failure->reason == "PodDeleted");
}

BOOST_FIXTURE_TEST_CASE(is_none_when_only_the_cache_does_not_show_a_pod, JobFixture) {
  start();
  unseen = {kWorker1, kServer0};

  const Decision decision = pass();

  BOOST_TEST(!decision.status.has_value());
  BOOST_TEST(decision.actions.size() == 2);
  BOOST_TEST(looked_up.size() == 2);
  settle();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().attempt == 0);
  BOOST_TEST(creations == 7);
}

BOOST_FIXTURE_TEST_CASE(is_none_when_a_pod_is_gone_before_the_job_ran, JobFixture) {
  settle();
  remove(kWorker1);
  settle();
  BOOST_TEST(status().attempt == 0);
  BOOST_TEST(created.back() == "worker-1/0");
}

BOOST_FIXTURE_TEST_CASE(does_not_wait_for_a_clock_that_is_far_ahead, JobFixture) {
  start();
  end(kWorker0, 75);
  pod(kWorker0).terminated->finished = now + std::chrono::hours(5);
  pass();
  BOOST_TEST(status().attempt == 1);
  BOOST_CHECK(status().last_failure->time == now);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::cause_test
