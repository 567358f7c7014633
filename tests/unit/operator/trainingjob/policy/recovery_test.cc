#include "operator/trainingjob/policy/recovery.h"

#include <algorithm>
#include <ostream>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::recovery_test {

namespace {

struct Case {
  const char* name;
  FailureKind failure;
  int failures;  // in a row, before this one
  bool is_retried;
};

std::ostream& operator<<(std::ostream& out, const Case& each) {
  return out << each.name;
}

constexpr int kLimit = 3;

const Case kCases[] = {
    {"a bad configuration fails", FailureKind::kForGood, 0, false},
    {"a crash restarts", FailureKind::kOwn, 0, true},
    {"up to the limit", FailureKind::kOwn, 2, true},
    {"and not beyond", FailureKind::kOwn, 3, false},
    {"a disruption restarts", FailureKind::kDisruption, 0, true},
    {"whatever the limit", FailureKind::kDisruption, 99, true},
    {"so does a pod that is gone", FailureKind::kMissing, 99, true},
    {"a consequence that nothing explains is counted", FailureKind::kConsequence, 3, false},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(recovery)

BOOST_DATA_TEST_CASE(follows_from_kind_and_count, boost::unit_test::data::make(kCases), each) {
  Failure failure;
  failure.kind = each.failure;
  BOOST_TEST(isRetried(failure, each.failures, kLimit) == each.is_retried);
}

BOOST_AUTO_TEST_CASE(pauses_longer_with_each_failure_in_a_row) {
  const int expected[] = {0, 0, 5, 10, 20, 40, 80, 160, 320, 320};
  for (int failures = 0; failures < 10; ++failures)
    BOOST_CHECK(restartPause(failures) == seconds(expected[failures]));
  BOOST_CHECK(restartPause(1'000'000) == seconds(320));
}

BOOST_AUTO_TEST_CASE(pauses_at_once_where_storage_failed_and_survives_a_minute_without_it) {
  const int expected[] = {0, 10, 20, 40, 80, 160, 320, 320, 320};
  for (int failures = 0; failures < 9; ++failures)
    BOOST_CHECK(restartPause(failures, "ResourceFailed") == seconds(expected[failures]));
  BOOST_CHECK(restartPause(1'000'000, "ResourceFailed") == seconds(320));
  BOOST_CHECK(restartPause(1, "KilledBySignal") == seconds(0));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(restart)

BOOST_FIXTURE_TEST_CASE(is_written_down_whole_before_anything_is_done, JobFixture) {
  start();
  const std::string uid = pod(kWorker1).meta.uid;
  end(kWorker1, 139, "segmentation fault in conv2");

  const Decision decision = pass();

  BOOST_TEST(decision.actions.empty());
  BOOST_REQUIRE(decision.status.has_value());
  BOOST_TEST(status().state == "Restarting");
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().restarts == 1);
  BOOST_TEST(status().disruptions == 0);
  BOOST_TEST(status().recovery.failures == 1);
  BOOST_TEST(status().recovery.handled_pod_uids == std::vector<std::string>{uid},
             boost::test_tools::per_element());
  BOOST_TEST(status().last_failure->pod_uid == uid);
  BOOST_TEST(status().last_failure->reason == "KilledBySignal");
  BOOST_TEST(status().last_failure->exit_code.value() == 139);
  BOOST_TEST(status().last_failure->message.find("conv2") != std::string::npos);
  BOOST_TEST(status().isTrue("Restarting"));
  BOOST_TEST(!status().isTrue("Running"));
  BOOST_TEST(status().workers == "0/2");
  BOOST_TEST(hasEvent("KilledBySignal"));
}

BOOST_FIXTURE_TEST_CASE(deletes_all_but_slot_0_then_slot_0_then_makes_all_again, JobFixture) {
  start();
  created.clear();
  end(kWorker1, 139);

  settle();
  const std::vector<std::string> first = {"lenet5-worker-0", "lenet5-worker-1"};
  BOOST_TEST(deleted == first, boost::test_tools::per_element());
  BOOST_TEST(created.empty());
  letGo();
  settle();
  BOOST_TEST(deleted.back() == "lenet5-server-0");
  BOOST_TEST(created.empty());
  letGo();
  settle();

  const std::vector<std::string> expected = {"server-0/1", "worker-0/1", "worker-1/1"};
  BOOST_TEST(created == expected, boost::test_tools::per_element());
  BOOST_TEST(status().state == "Restarting");
  makeReady();
  settle();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(!status().isTrue("Restarting"));
}

BOOST_FIXTURE_TEST_CASE(costs_two_status_writes, JobFixture) {
  start();
  const int before = status_writes;
  end(kWorker1, 139);
  restartFully();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status_writes == before + 2);
}

BOOST_FIXTURE_TEST_CASE(counts_a_failed_pod_once_however_often_it_is_seen, JobFixture) {
  start();
  end(kWorker1, 139);
  pass();
  end(kWorker0, 139);  // of the attempt that is over
  for (int i = 0; i < 5; ++i)
    look();
  settle();
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().restarts == 1);
}

BOOST_FIXTURE_TEST_CASE(counts_disruptions_apart_and_never_towards_the_limit, JobFixture) {
  job.run_policy.backoff_limit = 0;
  start();
  for (int i = 1; i <= 5; ++i) {
    evict(kWorker0);
    pass();
    advance(kLongestPause);
    restartFully();
    BOOST_TEST(status().disruptions == i);
    BOOST_TEST(status().attempt == i);
  }
  BOOST_TEST(status().restarts == 0);
  BOOST_TEST(status().recovery.failures == 0);
  BOOST_TEST(status().state == "Running");
}

BOOST_FIXTURE_TEST_CASE(says_what_happens_next_however_much_a_pod_has_said, JobFixture) {
  start();
  end(kWorker1, 139, std::string(1024, 'x'));
  const Decision decision = look();
  BOOST_REQUIRE(!decision.events.empty());
  BOOST_TEST(decision.events.front().message.size() < 1024U);
  BOOST_TEST(decision.events.front().message.find("x ...; ") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(ends_when_failures_in_a_row_exceed_the_limit, JobFixture) {
  job.run_policy.backoff_limit = 2;
  start();
  for (int i = 0; i < 2; ++i) {
    end(kWorker1, 139);
    advance(seconds(60));
    restartFully();
    BOOST_TEST(status().state == "Running");
  }
  end(kWorker1, 139, "again");
  pass();
  BOOST_TEST(status().state == "Running");  // the others may say that there was progress
  advance(seconds(10));
  pass();
  BOOST_TEST(status().state == "Failed");
  BOOST_TEST(condition("Failed").reason == "BackoffLimitExceeded");
  test::checkGolden("operator/policy/backoff_limit.txt", condition("Failed").message + "\n");
  BOOST_TEST(status().restarts == 2);
  BOOST_TEST(status().attempt == 2);
}

BOOST_FIXTURE_TEST_CASE(forgets_failures_only_when_progress_passes_all_earlier_attempts,
                        JobFixture) {
  const auto failAt = [&](int step) {
    observed.progress = Progress();
    observed.progress->step = step;
    end(kWorker1, 139);
    pass();
    observed.progress.reset();
    advance(seconds(400));
    restartFully();
  };
  start();
  failAt(100);
  BOOST_TEST(status().recovery.failures == 1);
  BOOST_TEST(status().recovery.highest_step == 100);
  failAt(100);  // the same step again is no progress
  BOOST_TEST(status().recovery.failures == 2);
  failAt(40);
  BOOST_TEST(status().recovery.failures == 3);
  BOOST_TEST(status().recovery.highest_step == 100);
  failAt(101);
  BOOST_TEST(status().recovery.failures == 1);
  BOOST_TEST(status().recovery.highest_step == 101);
}

BOOST_AUTO_TEST_CASE(warns_only_when_there_is_no_checkpoint_to_go_on_from) {
  for (const bool keeps_checkpoints : {false, true}) {
    JobFixture fixture;
    fixture.record.keeps_checkpoints = keeps_checkpoints;
    fixture.start();
    fixture.end(kWorker1, 139);
    fixture.pass();
    BOOST_TEST(fixture.hasEvent("NoCheckpoint") != keeps_checkpoints);
  }
}

BOOST_FIXTURE_TEST_CASE(pauses_before_pods_are_made_a_third_time, JobFixture) {
  start();
  end(kWorker1, 139);
  restartFully();
  created.clear();
  end(kWorker1, 139);
  endPods();

  const Decision decision = pass();

  BOOST_TEST(created.empty());
  BOOST_CHECK(decision.again_after == Duration(seconds(5)));
  advance(seconds(5));
  settle();
  BOOST_TEST(created.size() == 3);
}

BOOST_FIXTURE_TEST_CASE(counts_storage_that_fails_names_the_file_and_ends_at_the_limit,
                        JobFixture) {
  start();
  for (int i = 1; i <= 3; ++i) {
    end(kWorker1, 74, "cannot read /data/train.txt: Stale file handle");
    pass();
    BOOST_TEST(condition("Restarting").reason == "ResourceFailed");
    BOOST_TEST(condition("Restarting").message.find("/data/train.txt") != std::string::npos);
    BOOST_CHECK(status().recovery.not_before.has_value());
    advance(seconds(60));
    restartFully();
    BOOST_TEST(status().restarts == i);
  }
  end(kWorker1, 74, "cannot read /data/train.txt: Stale file handle");
  advance(seconds(10));
  pass();
  BOOST_TEST(condition("Failed").reason == "BackoffLimitExceeded");
  BOOST_TEST(status().last_failure->reason == "ResourceFailed");
  BOOST_TEST(condition("Failed").message.find("/data/train.txt") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(counts_a_broken_storage_limit_and_ends, JobFixture) {
  job.run_policy.backoff_limit = 1;
  start();
  for (int i = 0; i < 2; ++i) {
    pod(kWorker0).reason = "Evicted";
    end(kWorker0, 137);
    if (i == 1) advance(seconds(10));
    pass();
    advance(kLongestPause);
    if (i == 0) restartFully();
  }
  BOOST_TEST(status().disruptions == 0);
  BOOST_TEST(status().state == "Failed");
  BOOST_TEST(condition("Failed").reason == "BackoffLimitExceeded");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(disruptions)

/// Ends a pod by a disruption and returns how long the operator then waits to create pods.
seconds disrupt(JobFixture& job) {
  job.evict(kWorker0);
  job.endPods();
  job.created.clear();
  const WallTime begun = job.now;
  while (job.created.empty() && job.now - begun < std::chrono::minutes(10)) {
    job.settle();
    if (job.created.empty()) job.advance(seconds(1));
  }
  const auto waited = std::chrono::duration_cast<seconds>(job.now - begun);
  job.makeReady();
  job.settle();
  return waited;
}

void progressTo(JobFixture& job, int step) {
  job.observed.progress = Progress();
  job.observed.progress->step = step;
}

BOOST_FIXTURE_TEST_CASE(in_a_row_without_progress_wait_longer_each_time, JobFixture) {
  start();
  const int expected[] = {0, 5, 10, 20, 40, 80, 160, 320, 320};
  for (const int pause : expected) {
    BOOST_TEST(disrupt(*this).count() == pause);
    advance(seconds(60));
  }
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().disruptions == 9);
}

BOOST_FIXTURE_TEST_CASE(after_progress_do_not_wait, JobFixture) {
  start();
  for (int i = 1; i <= 20; ++i) {
    progressTo(*this, 100 * i);
    BOOST_TEST(disrupt(*this).count() == 0);
    advance(seconds(60));
  }
}

BOOST_FIXTURE_TEST_CASE(restart_a_job_at_most_every_30_seconds_whatever_its_progress, JobFixture) {
  start();
  progressTo(*this, 1);
  disrupt(*this);
  advance(seconds(10));
  progressTo(*this, 2);
  BOOST_TEST(disrupt(*this).count() == 20);
  BOOST_TEST(std::any_of(events.begin(), events.end(), [](const kube::EventNote& event) {
    return event.message.find(": 30 s ") != std::string::npos;
  }));
}

BOOST_AUTO_TEST_CASE(say_until_when_pods_wait_and_why) {
  test::Transcript said;
  // The row alone asks for 5 s.
  for (const auto& [after, pause] :
       {std::pair(seconds(10), seconds(20)), {seconds(60), seconds(5)}}) {
    JobFixture fixture;
    fixture.start();
    disrupt(fixture);
    fixture.advance(after);
    fixture.evict(kWorker0);
    fixture.pass();
    BOOST_CHECK(fixture.status().recovery.not_before == fixture.now + pause);
    said.add(std::to_string(after.count()) + " s later", fixture.condition("Restarting").message);
  }
  test::checkGolden("operator/policy/restart_pauses.txt", said.text());
}

BOOST_FIXTURE_TEST_CASE(do_not_wait_for_a_time_that_a_wrong_clock_wrote, JobFixture) {
  start();
  disrupt(*this);
  evict(kWorker0);
  endPods();
  now -= std::chrono::hours(24);
  created.clear();
  settle();
  BOOST_TEST(created.size() == 3);
}

BOOST_FIXTURE_TEST_CASE(are_forgotten_when_a_user_suspends_and_resumes, JobFixture) {
  start();
  disrupt(*this);
  evict(kWorker0);
  pass();
  BOOST_TEST(status().recovery.not_before.has_value());
  job.suspend = true;
  settle();
  pods.clear();
  settle();
  job.suspend = false;
  created.clear();
  settle();
  BOOST_TEST(created.size() == 3);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(restart)

BOOST_FIXTURE_TEST_CASE(does_not_happen_when_starting_again_does_not_help, JobFixture) {
  start();
  end(kWorker1, 78, "worker.replicas: 9 is more than V");
  pass();
  BOOST_TEST(status().state == "Failed");
  BOOST_TEST(condition("Failed").reason == "BadConfiguration");
  BOOST_TEST(condition("Failed").message.ends_with(" 78: worker.replicas: 9 is more than V"));
  BOOST_TEST(status().attempt == 0);
  BOOST_TEST(status().last_failure->reason == "BadConfiguration");
}

BOOST_FIXTURE_TEST_CASE(remembers_only_pods_that_are_there, JobFixture) {
  start();
  for (int i = 0; i < 10; ++i) {
    evict(kWorker0);
    pass();
    advance(kLongestPause);
    restartFully();
    BOOST_TEST(status().recovery.handled_pod_uids.size() <= 1);
  }
}

BOOST_FIXTURE_TEST_CASE(takes_pods_of_an_emptied_status_for_an_earlier_attempt, JobFixture) {
  start();
  job.status = {};
  pass();
  BOOST_TEST(status().attempt == 1);
  restartFully();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(pod(kWorker0).attempt == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::recovery_test
