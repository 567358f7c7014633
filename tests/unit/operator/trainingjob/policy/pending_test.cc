#include "operator/trainingjob/policy/pending.h"

#include <ostream>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::pending_test {
namespace {

struct Case {
  const char* waiting;  // of the container; or
  const char* unscheduled;
  const char* message;
  const char* reason;  // what Running says; empty: nothing in particular
};

std::ostream& operator<<(std::ostream& out, const Case& each) {
  return out << each.waiting << each.unscheduled;
}

const Case kCases[] = {
    {"ContainerCreating", "", "", ""},
    {"PodInitializing", "", "", ""},
    {"ErrImagePull", "", "manifest unknown", "ImagePullBackOff"},
    {"ImagePullBackOff", "", "Back-off pulling image x", "ImagePullBackOff"},
    {"InvalidImageName", "", "x:y:z", "InvalidImageName"},
    {"CreateContainerConfigError", "", "secret \"s\" not found", "CreateContainerConfigError"},
    {"CrashLoopBackOff", "", "back-off 5m0s", "CrashLoopBackOff"},
    {"InitContainerFailed", "", "init container fetch", "InitContainerFailed"},
    {"not a word", "", "", "Pending"},
    {"", "Unschedulable", "0/3 nodes are available: 3 Insufficient memory.", "Unschedulable"},
    {"", "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates",
     "SchedulingGated"},
};

struct RefusalCase {
  int status;
  bool is_quota;
  const char* reason;
};

std::ostream& operator<<(std::ostream& out, const RefusalCase& each) {
  return out << each.status;
}

const RefusalCase kRefusals[] = {{422, false, "PodRefused"},
                                 {403, true, "QuotaExceeded"},
                                 {403, false, "Forbidden"},
                                 {500, false, "Refused"}};

}  // namespace

BOOST_AUTO_TEST_SUITE(pending)

BOOST_DATA_TEST_CASE(says_what_a_pod_waits_for, boost::unit_test::data::make(kCases), each) {
  JobFixture fixture;
  fixture.settle();
  const int before = fixture.status_writes;
  fixture.pod(kWorker1).waiting_reason = each.waiting;
  fixture.pod(kWorker1).unscheduled_reason = each.unscheduled;
  fixture.pod(kWorker1).waiting_message = each.message;
  fixture.pod(kWorker1).unscheduled_message = each.message;

  for (int i = 0; i < 5; ++i)
    fixture.settle();

  const bool says_something = *each.reason != '\0';
  const bool is_word = fixture.condition("Running").reason != "Pending";
  BOOST_TEST(fixture.condition("Running").reason == (says_something ? each.reason : "Pending"));
  BOOST_TEST(fixture.status_writes == before + (says_something ? 1 : 0));
  BOOST_TEST(fixture.events.size() == (is_word ? 1U : 0U));
  if (says_something) {
    BOOST_TEST(fixture.condition("Running").message.starts_with("pod lenet5-worker-1: "));
    BOOST_TEST(fixture.condition("Running").message.ends_with(each.message));
  }
}

BOOST_DATA_TEST_CASE(says_what_the_api_server_refused, boost::unit_test::data::make(kRefusals),
                     each) {
  JobFixture fixture;
  fixture.pass();
  fixture.observed.refusal = Refusal{.what = "pod lenet5-worker-0",
                                     .status = each.status,
                                     .reason = "Forbidden",
                                     .message = "the whole story",
                                     .is_quota = each.is_quota};
  fixture.pass();
  BOOST_TEST(fixture.condition("Running").reason == each.reason);
  BOOST_TEST(
      fixture.condition("Running").message.ends_with(" pod lenet5-worker-0: the whole story"));
  BOOST_TEST(fixture.events.size() == 1);
  fixture.observed.refusal.reset();
  fixture.start();
  BOOST_TEST(fixture.status().state == "Running");
}

BOOST_FIXTURE_TEST_CASE(names_the_limit_range_that_may_have_set_a_limit_below_our_requests,
                        JobFixture) {
  pass();
  observed.refusal =
      Refusal{.what = "pod lenet5-worker-0",
              .status = 422,
              .reason = "Invalid",
              .message =
                  "Pod \"lenet5-worker-0\" is invalid: spec.containers[0].resources.requests: "
                  "Invalid value: \"250m\": must be less than or equal to cpu limit of 200m"};
  pass();
  BOOST_TEST(condition("Running").reason == "PodRefused");
  test::checkGolden("operator/policy/limit_range.txt", condition("Running").message + "\n");
}

BOOST_FIXTURE_TEST_CASE(does_not_swing_between_a_failing_pull_and_its_pause, JobFixture) {
  settle();
  pod(kWorker1).waiting_reason = "ErrImagePull";
  pod(kWorker1).waiting_message = "manifest unknown";
  settle();
  const int writes = status_writes;
  for (int i = 0; i < 5; ++i) {
    pod(kWorker1).waiting_reason = "ImagePullBackOff";
    pod(kWorker1).waiting_message = "Back-off pulling image \"x\"";
    settle();
    pod(kWorker1).waiting_reason = "ErrImagePull";
    pod(kWorker1).waiting_message = "manifest unknown";
    settle();
  }
  BOOST_TEST(status_writes == writes);
  BOOST_TEST(condition("Running").message.ends_with("manifest unknown"));
}

BOOST_FIXTURE_TEST_CASE(is_told_again_when_the_cause_under_one_reason_is_another, JobFixture) {
  settle();
  const auto lacks = [this](const char* what) {
    pod(kWorker1).unscheduled_reason = "Unschedulable";
    pod(kWorker1).unscheduled_message = what;
    const auto said = look().events.size();
    settle();
    return said;
  };
  BOOST_TEST(lacks("0/3 nodes are available: 3 Insufficient memory.") == 1U);
  BOOST_TEST(lacks("0/4 nodes are available: 4 Insufficient memory.") == 0U);
  BOOST_TEST(lacks("persistentvolumeclaim \"data\" not found") == 1U);
}

BOOST_FIXTURE_TEST_CASE(is_over_when_the_reason_is_gone, JobFixture) {
  settle();
  pod(kWorker1).unscheduled_reason = "Unschedulable";
  settle();
  pod(kWorker1).is_scheduled = true;
  settle();
  BOOST_TEST(condition("Running").reason == "Pending");
  makeReady();
  settle();
  BOOST_TEST(status().state == "Running");
}

BOOST_FIXTURE_TEST_CASE(keeps_its_transition_time_while_reasons_change, JobFixture) {
  settle();
  const WallTime began = now;
  advance(seconds(60));
  pod(kWorker1).unscheduled_reason = "Unschedulable";
  settle();
  BOOST_CHECK(condition("Running").last_transition == began);
  advance(seconds(60));
  makeReady();
  settle();
  BOOST_CHECK(condition("Running").last_transition == now);
}

BOOST_FIXTURE_TEST_CASE(names_a_pod_of_an_earlier_attempt_that_does_not_go, JobFixture) {
  start();
  end(kWorker1, 139);
  settle();
  pod(kWorker0).grace_seconds = 0;  // force was tried
  advance(seconds(89));
  settle();
  BOOST_TEST(condition("Running").reason == "Restarting");
  advance(seconds(1));
  settle();
  BOOST_TEST(condition("Running").reason == "DeletionOverdue");
  BOOST_TEST(condition("Running").message.starts_with("pod lenet5-worker-0 "));
}

BOOST_FIXTURE_TEST_CASE(says_what_is_rejected_of_a_job_that_runs, JobFixture) {
  start();
  const WallTime began = condition("Running").last_transition;
  observed.refusal = Refusal{.what = "networkpolicy lenet5-readers",
                             .status = 403,
                             .reason = "Forbidden",
                             .message = "a policy says no"};
  settle();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(condition("Running").reason == "Forbidden");
  BOOST_TEST(
      condition("Running").message.ends_with(" networkpolicy lenet5-readers: a policy says no"));
  BOOST_CHECK(condition("Running").last_transition == began);
  BOOST_TEST(events.back().reason == "Forbidden");
  BOOST_TEST(events.back().warning);
  const std::size_t said = events.size();
  advance(seconds(600));
  settle();
  BOOST_TEST(events.size() == said);

  observed.refusal.reset();
  settle();
  BOOST_TEST(condition("Running").reason == "Running");
}

BOOST_FIXTURE_TEST_CASE(does_not_come_back_when_a_running_pod_is_not_ready_for_a_while,
                        JobFixture) {
  start();
  pod(kWorker1).is_ready = false;
  settle();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().workers == "1/2");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::pending_test
