#include <boost/test/unit_test.hpp>

#include "operator/trainingjob/policy/job_size.h"
#include "operator/trainingjob/policy/scale.h"
#include "tests/support/golden.h"
#include "tests/unit/operator/trainingjob/policy/full_cluster.h"

namespace sumac::trainingjob::scale_fit_test {

BOOST_FIXTURE_TEST_SUITE(scale_that_does_not_fit, FullCluster)

BOOST_AUTO_TEST_CASE(goes_back_to_the_last_size_that_ran) {
  scaleTo(4);
  makePods();
  BOOST_TEST(condition("Running").reason == "Unschedulable");
  BOOST_TEST(condition("Running").message.find(" back to 2 ") != std::string::npos);
  advance(kScaleFit - seconds(1));
  BOOST_CHECK(pass().again_after == Duration(seconds(1)));
  BOOST_TEST(status().attempt == 1);
  advance(seconds(1));

  const Decision decision = pass();

  BOOST_TEST(decision.actions.empty());  // the status first
  BOOST_TEST(status().attempt == 2);
  BOOST_TEST(status().worker.desired == 2);
  BOOST_TEST(condition("Restarting").reason == "ScaleDoesNotFit");
  run();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().workers == "2/2");
  BOOST_TEST(status().restarts + status().disruptions + status().recovery.failures == 0);
}

BOOST_AUTO_TEST_CASE(says_from_what_to_what_which_pod_and_why) {
  scaleInVain();
  const kube::EventNote event = events.back();
  const std::string again = toRfc3339(now + kScaleRetry);
  run();
  const std::string& condition_message = condition("Running").message;

  BOOST_TEST(event.reason == "ScaleDoesNotFit");
  BOOST_TEST(event.warning);
  BOOST_TEST(event.message.find(again) != std::string::npos);
  BOOST_TEST(condition_message.find(again) != std::string::npos);
  test::checkGolden("operator/policy/scale_does_not_fit.txt",
                    event.message + "\n" + condition_message + "\n");
  BOOST_TEST(!hasEvent("ScaleDelayed"));
}

BOOST_AUTO_TEST_CASE(runs_when_a_node_appears_in_time) {
  scaleTo(4);
  makePods();
  advance(kScaleFit - seconds(1));
  settle();
  pod(kWorker3).is_scheduled = true;
  settle();
  advance(seconds(1000));  // images are pulled
  settle();
  BOOST_TEST(status().attempt == 1);
  makeReady();
  settle();
  BOOST_TEST(status().workers == "4/4");
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(!hasEvent("ScaleDoesNotFit"));
  BOOST_TEST(!status().scale.since.has_value());
}

BOOST_AUTO_TEST_CASE(waits_as_long_as_the_job_says) {
  job.run_policy.scale_fit_seconds = 5;
  scaleTo(4);
  makePods();
  advance(seconds(4));
  settle();
  BOOST_TEST(status().attempt == 1);
  advance(seconds(1));
  settle();
  BOOST_TEST(status().attempt == 2);
}

BOOST_AUTO_TEST_CASE(never_fails_the_job) {
  job.run_policy.pre_running_deadline_seconds = 60;
  scaleTo(4);
  makePods();
  advance(seconds(60));
  settle();
  BOOST_TEST(status().state == "Restarting");
  advance(kScaleFit);
  settle();
  BOOST_TEST(status().attempt == 2);
  advance(seconds(100'000));  // others have taken the room of the two
  settle();
  BOOST_TEST(status().state == "Restarting");
  run();
  BOOST_TEST(status().state == "Running");
}

BOOST_AUTO_TEST_CASE(goes_back_where_a_quota_rejects_a_pod) {
  scaleTo(4);
  makePods();
  remove(kWorker3);
  refuseWorker3ByQuota();
  advance(kScaleFit);
  pass();
  BOOST_TEST(status().worker.desired == 2);
  BOOST_TEST(events.back().reason == "ScaleDoesNotFit");
  BOOST_TEST(events.back().message.find("exceeded quota: few") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(is_not_judged_by_what_has_nothing_to_do_with_room) {
  scaleTo(4);
  makePods();
  pod(kWorker3).unscheduled_reason = "SchedulingGated";
  advance(kScaleFit);
  settle();
  pod(kWorker3).is_scheduled = true;
  pod(kWorker3).waiting_reason = "ImagePullBackOff";
  settle();
  remove(kWorker3);
  observed.refusal = Refusal{.what = "pod lenet5-worker-3",
                             .status = 422,
                             .reason = "Invalid",
                             .message = "no",
                             .is_quota = false};
  settle();
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(!hasEvent("ScaleDoesNotFit"));
}

BOOST_AUTO_TEST_CASE(is_not_concluded_from_a_pod_that_the_attempt_does_not_have) {
  scaleTo(3);
  makePods();
  refuseWorker3ByQuota();
  advance(kScaleFit);
  settle();
  BOOST_TEST(status().attempt == 1);
}

BOOST_AUTO_TEST_CASE(is_no_failure_where_members_give_up_waiting_for_the_others) {
  job.run_policy.scale_fit_seconds = 3600;
  job.run_policy.backoff_limit = 0;
  scaleTo(4);
  makePods();
  advance(seconds(600));
  endAll(75);
  pod(kWorker3).terminated.reset();
  pod(kWorker3).phase = api::PodPhase::kPending;
  settle();
  advance(seconds(200));
  settle();
  BOOST_TEST(status().worker.desired == 2);
  BOOST_TEST(status().restarts == 0);
  BOOST_TEST(hasEvent("ScaleDoesNotFit"));
}

BOOST_AUTO_TEST_CASE(counts_failures_of_its_own_as_ever) {
  scaleTo(4);
  makePods();
  end(kWorker1, 139);
  makePods();
  BOOST_TEST(status().restarts == 1);
  BOOST_TEST(status().worker.desired == 4);
  BOOST_TEST(status().recovery.failures == 1);
  advance(kScaleFit);  // counted from the change, not from the failure
  settle();
  BOOST_TEST(status().worker.desired == 2);
}

BOOST_AUTO_TEST_CASE(does_not_happen_to_fewer_workers) {
  scaleTo(1);
  replacePods();
  pod(kWorker0).unscheduled_reason = "Unschedulable";
  advance(kScaleFit);
  settle();
  BOOST_TEST(status().worker.desired == 1);
  BOOST_TEST(status().attempt == 1);
}

BOOST_AUTO_TEST_CASE(does_not_happen_to_a_job_that_starts_or_is_resumed) {
  job.suspend = true;
  edit();
  settle();
  pods.clear();
  settle();
  job.suspend = false;
  scaleTo(4);
  makePods();
  advance(kScaleFit);
  settle();
  BOOST_TEST(status().worker.desired == 4);
  BOOST_TEST(condition("Running").reason == "Unschedulable");
}

BOOST_AUTO_TEST_CASE(does_not_wait_from_a_time_that_a_wrong_clock_wrote) {
  scaleTo(4);
  makePods();
  now -= std::chrono::hours(24);
  settle();
  BOOST_TEST(status().worker.desired == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::scale_fit_test
