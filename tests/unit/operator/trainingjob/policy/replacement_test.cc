#include "operator/trainingjob/policy/replacement.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "operator/trainingjob/policy/recovery.h"
#include "operator/trainingjob/policy/scale.h"
#include "tests/support/golden.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::replacement_test {
namespace {

constexpr Slot kWorker2{Role::kWorker, 2};
constexpr Slot kWorker3{Role::kWorker, 3};

/// A job whose members may change, with two of up to four workers and a server, that runs.
struct ChangingJob : JobFixture {
  ChangingJob() {
    record.changes_members = true;
    job.min_replicas = 1;
    job.max_replicas = 4;
    start();
    created.clear();
    events.clear();
  }

  void scaleTo(int replicas) {
    job.worker_replicas = replicas;
    ++job.meta.generation;
    settle();
  }

  void doSteps(int step) {
    observed.progress = Progress();
    observed.progress->step = step;
  }

  /// The pod fails, is replaced, and the new one is ready.
  void failAndReturn(Slot slot, int code) {
    end(slot, code);
    settle();
    makeReady();
    settle();
  }

  std::string uidOf(Slot slot) { return pod(slot).meta.uid; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(replacement)

BOOST_AUTO_TEST_CASE(pauses_a_minute_at_most) {
  const int expected[] = {0, 0, 1, 5, 10, 20, 40, 60, 60};
  for (int failures = 0; failures < 9; ++failures)
    BOOST_CHECK(replacementPause(failures) == seconds(expected[failures]));
  BOOST_CHECK(replacementPause(1'000'000) == seconds(60));
}

BOOST_FIXTURE_TEST_CASE(is_of_one_pod_and_written_down_before_anything_is_done, ChangingJob) {
  const std::string others = uidOf(kWorker0) + uidOf(kServer0);
  const std::string uid = uidOf(kWorker1);
  end(kWorker1, 137);

  const Decision decision = pass();

  BOOST_TEST(decision.actions.empty());
  BOOST_TEST(status().replaced == 1);
  BOOST_TEST(status().recovery.handled_pod_uids == std::vector<std::string>{uid},
             boost::test_tools::per_element());
  BOOST_TEST(status().last_failure->pod_uid == uid);
  settle();
  BOOST_TEST(created == std::vector<std::string>{"worker-1/0"}, boost::test_tools::per_element());
  BOOST_TEST(uidOf(kWorker0) + uidOf(kServer0) == others);
  BOOST_TEST(status().attempt == 0);
  BOOST_TEST(status().restarts + status().disruptions == 0);
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().workers == "1/2");
  makeReady();
  settle();
  BOOST_TEST(status().workers == "2/2");
  BOOST_TEST(status().recovery.replacements.empty());
  BOOST_TEST(status().replaced == 1);
}

BOOST_FIXTURE_TEST_CASE(is_the_answer_to_every_failure_that_others_can_do_without, ChangingJob) {
  int replaced = 0;
  for (const int code : {74, 75, 78, 134, 137, 143, 3}) {
    BOOST_TEST_CONTEXT("exit code " << code) {
      doSteps(100 * ++replaced);
      failAndReturn(replaced % 2 == 0 ? kWorker1 : kServer0, code);
      BOOST_TEST(status().replaced == replaced);
      BOOST_TEST(status().attempt == 0);
      BOOST_TEST(status().workers == "2/2");
    }
  }
  doSteps(1000);
  evict(kWorker0);
  settle();
  BOOST_TEST(hasEvent("EvictionByEvictionAPI"));
  makeReady();
  settle();
  BOOST_TEST(status().replaced == replaced + 1);
  BOOST_TEST(status().disruptions == 0);
}

BOOST_FIXTURE_TEST_CASE(waits_for_the_old_pod_of_the_name_and_for_no_other, ChangingJob) {
  scaleTo(3);
  makeReady();
  settle();
  created.clear();
  askDeletion(kWorker1);  // a drain: it ends by itself
  end(kWorker0, 137);
  settle();
  BOOST_TEST(created == std::vector<std::string>{"worker-0/0"}, boost::test_tools::per_element());
  BOOST_TEST(status().replaced == 2);
  letGo();
  settle();
  BOOST_TEST(created.back() == "worker-1/0");
}

BOOST_FIXTURE_TEST_CASE(is_of_slot_0_too, ChangingJob) {
  const std::string uid = uidOf(kServer0);
  failAndReturn(kServer0, 137);
  BOOST_TEST(uidOf(kServer0) != uid);
  BOOST_TEST(status().attempt == 0);
}

BOOST_FIXTURE_TEST_CASE(restarts_all_when_no_worker_is_left, ChangingJob) {
  end(kWorker1, 137);
  pass();
  end(kWorker0, 137);
  settle();
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().replaced == 1);
  BOOST_TEST(status().recovery.replacements.empty());
  BOOST_TEST(!status().isTrue("Running"));
}

BOOST_FIXTURE_TEST_CASE(counts_no_consequence_of_a_failure_that_was_handled, ChangingJob) {
  evict(kWorker1);
  settle();
  end(kServer0, 75);
  settle();
  end(kWorker0, 75);
  settle();
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().recovery.failures == 0);
  BOOST_TEST(status().restarts == 0);
}

BOOST_FIXTURE_TEST_CASE(restarts_a_job_that_has_not_begun, JobFixture) {
  record.changes_members = true;
  settle();
  end(kWorker1, 137);
  settle();
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().replaced == 0);
}

BOOST_FIXTURE_TEST_CASE(pauses_longer_while_there_is_no_progress, ChangingJob) {
  job.run_policy.backoff_limit = 10;
  for (const int pause : {0, 1, 5, 10}) {
    BOOST_TEST_CONTEXT("pause of " << pause << " s") {
      created.clear();
      end(kWorker1, 139);
      if (pause > 0) {
        settle();
        BOOST_TEST(created.empty());
        advance(seconds(pause));
      }
      settle();
      BOOST_TEST(created.size() == 1U);
      makeReady();
      settle();
    }
  }
  doSteps(10);
  created.clear();
  end(kWorker1, 139);
  settle();
  BOOST_TEST(created.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(of_a_member_that_is_never_ready_is_paced_whatever_the_others_do,
                        ChangingJob) {
  for (const int pause : {0, 1, 5, 10, 20, 40, 60, 60}) {
    doSteps(pause + static_cast<int>(created.size()) * 100 + 100);
    end(kWorker1, 127);
    pass();
    BOOST_TEST(status().recovery.failures <= 1);
    advance(seconds(pause));
    settle();
    BOOST_TEST(hasPod(kWorker1));
  }
  BOOST_TEST(status().replaced == 8);
  BOOST_TEST(status().state == "Running");
}

BOOST_FIXTURE_TEST_CASE(ends_with_the_back_off_limit_where_nobody_makes_a_step, ChangingJob) {
  job.run_policy.backoff_limit = 2;
  for (int i = 0; i < 2; ++i) {
    failAndReturn(kWorker1, 139);
    advance(seconds(60));
    settle();
    makeReady();
    settle();
  }
  end(kWorker1, 139);
  settle();
  BOOST_TEST(status().state == "Running");  // a step may be on its way
  advance(seconds(10));
  settle();
  BOOST_TEST(status().state == "Failed");
  BOOST_TEST(condition("Failed").reason == "BackoffLimitExceeded");
}

BOOST_FIXTURE_TEST_CASE(goes_on_when_a_step_shows_that_it_is_not_one_too_many, ChangingJob) {
  job.run_policy.backoff_limit = 1;
  failAndReturn(kWorker1, 139);
  end(kWorker1, 139);
  settle();
  doSteps(7);
  settle();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().replaced == 2);
}

BOOST_FIXTURE_TEST_CASE(never_ends_a_job_for_disruptions, ChangingJob) {
  job.run_policy.backoff_limit = 0;
  for (int i = 0; i < 10; ++i) {
    evict(kWorker1);
    settle();
    advance(seconds(60));
    settle();
    makeReady();
    settle();
  }
  BOOST_TEST(status().replaced == 10);
  BOOST_TEST(status().state == "Running");
}

BOOST_DATA_TEST_CASE(does_not_help_against_a_failure_for_good, boost::unit_test::data::make({1, 2}),
                     code) {
  ChangingJob fixture;
  fixture.end(kWorker1, code, "the loss is not finite");
  fixture.settle();
  BOOST_TEST(fixture.status().state == "Failed");
  BOOST_TEST(fixture.status().replaced == 0);
  BOOST_TEST(fixture.condition("Failed").message.find("worker-1") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(leaves_a_slot_empty_that_the_job_refused_three_times, ChangingJob) {
  scaleTo(3);
  makeReady();
  settle();
  for (int i = 0; i < 3; ++i) {
    doSteps(100 * (i + 1));
    end(kWorker2, 78, "the kernels of this machine do not fit");
    settle();
    advance(seconds(60));
    settle();
  }
  BOOST_TEST(hasEvent("WorkerRefused"));
  BOOST_TEST(!hasPod(kWorker2));
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().workers == "2/3");
  test::checkGolden("operator/policy/worker_refused.txt",
                    condition("Running").message + "\n" + events.back().message + "\n");
  scaleTo(4);
  BOOST_TEST(hasPod(kWorker2));
}

BOOST_FIXTURE_TEST_CASE(ends_a_job_that_refused_slot_0_three_times, ChangingJob) {
  for (int i = 0; i < 3; ++i) {
    end(kServer0, 78);
    settle();
    advance(seconds(60));
    settle();
  }
  BOOST_TEST(status().state == "Failed");
  BOOST_TEST(condition("Failed").reason == "BadConfiguration");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(scale_in_place)

BOOST_FIXTURE_TEST_CASE(creates_pods_of_new_indices_and_deletes_the_highest, ChangingJob) {
  const std::string first = uidOf(kWorker0) + uidOf(kWorker1) + uidOf(kServer0);
  scaleTo(4);
  BOOST_TEST(created == (std::vector<std::string>{"worker-2/0", "worker-3/0"}),
             boost::test_tools::per_element());
  BOOST_TEST(status().resizes == 1);
  BOOST_TEST(status().workers == "2/4");
  BOOST_TEST(events.front().reason == "Scaled");
  BOOST_TEST(events.front().message == "from 2 to 4 workers, in place");
  makeReady();
  settle();
  BOOST_TEST(uidOf(kWorker0) + uidOf(kWorker1) + uidOf(kServer0) == first);
  advance(kScaleCoolDownInPlace);
  scaleTo(1);
  const std::vector<std::string> expected = {"lenet5-worker-1", "lenet5-worker-2",
                                             "lenet5-worker-3"};
  BOOST_TEST(deleted == expected, boost::test_tools::per_element());
  for (const Slot slot : {kWorker1, kWorker2, kWorker3})
    end(slot, 143);
  settle();
  letGo();
  settle();
  BOOST_TEST(pods.size() == 2U);
  BOOST_TEST(status().attempt + status().restarts + status().disruptions + status().replaced == 0);
  BOOST_TEST(status().resizes == 2);
  BOOST_TEST(status().workers == "1/1");
}

BOOST_FIXTURE_TEST_CASE(waits_ten_seconds_between_two_changes, ChangingJob) {
  scaleTo(4);
  scaleTo(3);
  BOOST_TEST(status().worker.desired == 4);
  BOOST_TEST(hasEvent("ScaleDelayed"));
  advance(kScaleCoolDownInPlace);
  settle();
  BOOST_TEST(status().worker.desired == 3);
}

BOOST_FIXTURE_TEST_CASE(keeps_the_job_running_while_new_pods_have_no_room, ChangingJob) {
  job.run_policy.pre_running_deadline_seconds = 10;
  scaleTo(3);
  api::Pod& last = pod(kWorker2);
  last.unscheduled_reason = "Unschedulable";
  last.unscheduled_message = "0/3 nodes are available: 3 Insufficient cpu.";
  settle();
  BOOST_TEST(status().isTrue("Running"));
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(condition("Running").reason == "Unschedulable");
  test::checkGolden("operator/policy/running_in_part.txt", condition("Running").message + "\n");
  const std::size_t said = events.size();
  last.unscheduled_message = "0/4 nodes are available: 4 Insufficient cpu.";
  settle();
  BOOST_TEST(events.size() == said);
  advance(std::chrono::hours(1));
  settle();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().worker.desired == 3);
  makeReady();
  settle();
  BOOST_TEST(condition("Running").reason == "Running");
  BOOST_TEST(condition("Running").message.starts_with("all 4 pods"));
}

BOOST_FIXTURE_TEST_CASE(begins_an_attempt_that_is_not_counted_before_the_first_has_run,
                        JobFixture) {
  record.changes_members = true;
  job.min_replicas = 1;
  job.max_replicas = 4;
  settle();
  job.worker_replicas = 1;
  settle();
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().resizes == 0);
}

BOOST_FIXTURE_TEST_CASE(runs_as_soon_as_some_train_where_there_is_a_least_number, JobFixture) {
  record.changes_members = true;
  job.min_replicas = 1;
  job.max_replicas = 4;
  job.worker_replicas = 4;
  settle();
  observed.progress = Progress();
  settle();
  BOOST_TEST(status().isTrue("Running"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::replacement_test
