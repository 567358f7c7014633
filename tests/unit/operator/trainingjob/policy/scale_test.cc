#include "operator/trainingjob/policy/scale.h"

#include <ostream>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::scale_test {
namespace {

struct Case {
  const char* name;
  int replicas;
  int minimum;  // 0: of fixed size
  int maximum;
  int parts;
  int expected;
};

std::ostream& operator<<(std::ostream& out, const Case& each) {
  return out << each.name;
}

const Case kCases[] = {
    {"fixed", 3, 0, 0, 8, 3},          {"within", 3, 2, 4, 8, 3},
    {"at the minimum", 2, 2, 4, 8, 2}, {"below the minimum", 1, 2, 4, 8, 2},
    {"at the maximum", 4, 2, 4, 8, 4}, {"above the maximum", 5, 2, 4, 8, 4},
    {"never above V", 9, 0, 0, 8, 8},  {"0 as HPA may write it", 0, 1, 4, 8, 1},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(scale_policy)

BOOST_DATA_TEST_CASE(gives_the_size_of_the_next_attempt, boost::unit_test::data::make(kCases),
                     each) {
  JobFixture fixture;
  fixture.job.worker_replicas = each.replicas;
  if (each.minimum > 0) fixture.job.min_replicas = each.minimum;
  if (each.minimum > 0) fixture.job.max_replicas = each.maximum;
  fixture.record.logical_workers = each.parts;
  fixture.start();
  BOOST_TEST(fixture.status().worker.desired == each.expected);
  BOOST_TEST(fixture.pods.size() == static_cast<std::size_t>(each.expected) + 1);
}

BOOST_FIXTURE_TEST_CASE(makes_all_pods_again_and_counts_nothing, JobFixture) {
  job.min_replicas = 1;
  job.max_replicas = 4;
  start();
  job.worker_replicas = 4;

  const Decision decision = pass();

  BOOST_TEST(decision.actions.empty());
  BOOST_TEST(condition("Restarting").reason == "Scaled");
  BOOST_TEST(status().worker.desired == 4);
  restartFully();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().workers == "4/4");
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().restarts + status().disruptions == 0);
  BOOST_TEST(status().recovery.failures == 0);
}

struct ElasticJob : JobFixture {
  ElasticJob() {
    job.min_replicas = 1;
    job.max_replicas = 4;
    start();
  }

  void scaleTo(int replicas) {
    job.worker_replicas = replicas;
    settle();
  }
};

BOOST_FIXTURE_TEST_CASE(restarts_a_job_every_five_minutes_at_most, ElasticJob) {
  scaleTo(4);
  restartFully();
  BOOST_TEST(status().attempt == 1);
  for (int i = 0; i < 19; ++i) {  // an autoscaler every 15 s
    advance(seconds(15));
    scaleTo(i % 2 == 0 ? 3 : 4);
  }
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().workers == "4/4");
  BOOST_TEST(status().state == "Running");
  advance(seconds(15));
  settle();
  BOOST_TEST(status().attempt == 2);
  restartFully();
  BOOST_TEST(status().workers == "3/3");
}

BOOST_FIXTURE_TEST_CASE(says_for_what_and_until_when_it_waits, ElasticJob) {
  scaleTo(4);
  const WallTime end = now + kScaleCoolDown;
  restartFully();
  BOOST_TEST(!hasEvent("ScaleDelayed"));
  advance(seconds(60));
  job.worker_replicas = 3;

  const Decision decision = pass();

  BOOST_TEST(status().isTrue("Running"));
  BOOST_TEST(condition("Running").reason == "Running");
  BOOST_TEST(condition("Running").message.find(toRfc3339(end)) != std::string::npos);
  test::checkGolden("operator/policy/scale_delayed.txt", condition("Running").message + "\n");
  BOOST_TEST(hasEvent("ScaleDelayed"));
  BOOST_CHECK(decision.again_after == Duration(kScaleCoolDown - seconds(60)));
  const std::size_t count = events.size();
  settle();
  scaleTo(2);
  BOOST_TEST(events.size() == count);
  BOOST_TEST(condition("Running").message.find("waits: 2 from") != std::string::npos);
  scaleTo(4);
  BOOST_TEST(condition("Running").message.find("waits") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(waits_as_long_as_the_job_says, ElasticJob) {
  job.run_policy.scale_cool_down_seconds = 90;
  scaleTo(4);
  restartFully();
  advance(seconds(89));
  scaleTo(3);
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(condition("Running").message.ends_with("at most every 90 s"));
  job.run_policy.scale_cool_down_seconds = 0;
  settle();
  BOOST_TEST(status().attempt == 2);
}

BOOST_FIXTURE_TEST_CASE(waits_for_more_workers_also_while_pods_start, ElasticJob) {
  scaleTo(3);
  replacePods();
  scaleTo(4);
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(condition("Running").message.find("waits: 4 from") != std::string::npos);
  makeReady();
  settle();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(condition("Running").message.find("waits: 4 from") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(takes_fewer_workers_at_once_while_pods_of_more_start, ElasticJob) {
  scaleTo(4);
  scaleTo(3);
  BOOST_TEST(status().attempt == 2);
  BOOST_TEST(status().worker.desired == 3);
  scaleTo(2);  // the last size that ran
  BOOST_TEST(status().attempt == 3);
  BOOST_TEST(status().worker.desired == 2);
}

BOOST_FIXTURE_TEST_CASE(cannot_be_restarted_for_ever_by_an_autoscaler_while_pods_start,
                        ElasticJob) {
  scaleTo(4);
  for (int i = 0; i < 19; ++i) {
    advance(seconds(15));
    scaleTo(1 + i % 4);
  }
  BOOST_TEST(status().attempt <= 4);
}

BOOST_FIXTURE_TEST_CASE(goes_back_at_once_from_fewer_workers_that_do_not_run_yet, ElasticJob) {
  scaleTo(1);
  scaleTo(2);
  BOOST_TEST(status().attempt == 2);
  BOOST_TEST(status().worker.desired == 2);
}

/// Whose members come and go while it trains.
struct ChangingJob : JobFixture {
  ChangingJob() {
    job.min_replicas = 1;
    job.max_replicas = 4;
    record.changes_members = true;
    start();
  }
};

// The job began anew: worker 1 alone had the state, and was asked to stop.
BOOST_FIXTURE_TEST_CASE(keeps_who_alone_trains_until_another_does_that_stays, ChangingJob) {
  end(kWorker0, 137);
  settle();
  BOOST_TEST_REQUIRE(!pod(kWorker0).is_ready);
  job.worker_replicas = 1;
  settle();
  BOOST_TEST(status().worker.desired == 2);
  BOOST_TEST(!pod(kWorker1).meta.deleted);
  BOOST_TEST(condition("Running").message.find("waits: 1, ") != std::string::npos);
  makeReady();
  settle();
  BOOST_TEST(status().worker.desired == 1);
  BOOST_TEST(condition("Running").message.find("waits") == std::string::npos);
}

// It waited for ever, and nobody was told what for.
BOOST_FIXTURE_TEST_CASE(says_which_worker_a_smaller_number_waits_for_once_that_takes_long,
                        ChangingJob) {
  end(kWorker0, 137);
  settle();
  job.worker_replicas = 1;
  settle();
  advance(std::chrono::minutes(5) - seconds(1));
  settle();
  BOOST_TEST(!hasEvent("ScaleDelayed"));
  advance(seconds(1));
  settle();
  BOOST_TEST_REQUIRE(hasEvent("ScaleDelayed"));
  for (const char* text : {"kubectl describe pod lenet5-worker-0", "suspend the job"}) {
    BOOST_TEST(condition("Running").message.find(text) != std::string::npos);
    BOOST_TEST(events.back().message.find(text) != std::string::npos);
  }
  BOOST_TEST(status().worker.desired == 2);
  const auto told = std::ranges::count(events, "ScaleDelayed", &kube::EventNote::reason);
  advance(std::chrono::hours(1));
  settle();
  BOOST_TEST(std::ranges::count(events, "ScaleDelayed", &kube::EventNote::reason) == told);
  makeReady();
  settle();
  BOOST_TEST(status().worker.desired == 1);
}

BOOST_FIXTURE_TEST_CASE(says_at_once_that_the_worker_that_would_stay_was_refused, ChangingJob) {
  for (int i = 0; i < 3; ++i) {
    observed.progress.emplace().step = 100 * (i + 1);
    end(kWorker0, 78);
    settle();
    advance(std::chrono::minutes(1));
    settle();
  }
  BOOST_TEST_REQUIRE(hasEvent("WorkerRefused"));
  job.worker_replicas = 1;
  settle();
  BOOST_TEST(hasEvent("ScaleDelayed"));
  BOOST_TEST(condition("Running").message.find("worker-0 has no pod") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(uses_the_restart_of_a_failure, ElasticJob) {
  scaleTo(4);
  restartFully();
  scaleTo(3);
  end(kWorker1, 139);
  restartFully();
  BOOST_TEST(status().workers == "3/3");
  BOOST_TEST(status().attempt == 2);
}

BOOST_FIXTURE_TEST_CASE(does_not_wait_for_a_time_that_a_wrong_clock_wrote, ElasticJob) {
  scaleTo(4);
  restartFully();
  now -= std::chrono::hours(24);
  scaleTo(3);
  BOOST_TEST(status().attempt == 2);
}

BOOST_FIXTURE_TEST_CASE(warns_when_the_job_starts_at_step_0, ElasticJob) {
  record.keeps_checkpoints = false;
  scaleTo(4);
  BOOST_TEST(hasEvent("NoCheckpoint"));
  BOOST_TEST(condition("Restarting").message.ends_with("start at step 0"));
}

BOOST_FIXTURE_TEST_CASE(does_not_warn_when_a_checkpoint_outlives_the_pods, ElasticJob) {
  scaleTo(4);
  BOOST_TEST(!hasEvent("NoCheckpoint"));
  BOOST_TEST(condition("Restarting").message.ends_with(" newest checkpoint"));
}

BOOST_FIXTURE_TEST_CASE(leaves_a_job_of_fixed_size_as_it_is_until_it_is_resumed, JobFixture) {
  start();
  job.worker_replicas = 4;
  settle();
  BOOST_TEST(status().workers == "2/2");
  end(kWorker1, 139);
  restartFully();
  BOOST_TEST(status().workers == "2/2");
  job.suspend = true;
  settle();
  pods.clear();
  settle();
  job.suspend = false;
  start();
  BOOST_TEST(status().workers == "4/4");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::scale_test
