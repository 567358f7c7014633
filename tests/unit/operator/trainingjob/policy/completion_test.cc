#include "operator/trainingjob/policy/completion.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::completion_test {

BOOST_AUTO_TEST_SUITE(completion)

BOOST_FIXTURE_TEST_CASE(is_judged_by_the_main_container_not_by_the_pod, JobFixture) {
  start();
  end(kServer0, 0, kResult);
  pod(kServer0).phase = api::PodPhase::kRunning;  // a sidecar goes on
  settle();
  BOOST_TEST(status().state == "Succeeded");
}

BOOST_FIXTURE_TEST_CASE(fills_the_progress_of_a_job_too_short_to_be_asked, JobFixture) {
  start();
  end(kServer0, 0,
      R"({"steps":30,"epochs":5,"samplesPerSecond":812.5,"seconds":9.5,"batchesPerSecond":12.5,"loss":2.25})");
  settle();
  BOOST_TEST_REQUIRE(status().progress.has_value());
  BOOST_TEST(status().progress->percentage() == 100);
  BOOST_TEST(status().progress->epoch == 5);
  BOOST_TEST(status().progress->samples_per_second.value() == 812.5);
  BOOST_TEST(status().progress->batches_per_second.value() == 12.5);
  BOOST_TEST(status().progress->loss.value() == 2.25);
  BOOST_TEST(status().result->seconds.value() == 9.5);
}

BOOST_FIXTURE_TEST_CASE(says_where_the_model_is_only_where_it_outlives_its_pod, JobFixture) {
  start();
  end(kServer0, 0, R"({"steps":30,"modelPath":"/output/model.safetensors"})");
  settle();
  BOOST_TEST(status().result->model_path == "/output/model.safetensors");
}

BOOST_FIXTURE_TEST_CASE(does_not_say_where_a_model_was_that_went_with_its_pod, JobFixture) {
  record.keeps_output = false;
  start();
  end(kServer0, 0, R"({"steps":30,"modelPath":"/output/model.safetensors"})");
  settle();
  BOOST_TEST(status().state == "Succeeded");
  BOOST_TEST(status().result->model_path.empty());
}

BOOST_FIXTURE_TEST_CASE(outweighs_failures_seen_at_the_same_time, JobFixture) {
  start();
  end(kServer0, 1, "no");
  end(kWorker1, 0, kResult);
  settle();
  BOOST_TEST(status().state == "Succeeded");
}

BOOST_FIXTURE_TEST_CASE(needs_a_result_not_only_exit_code_0, JobFixture) {
  start();
  for (const Slot slot : {kServer0, kWorker0, kWorker1})
    end(slot, 0, "bye");
  pass();
  BOOST_TEST(status().state == "Restarting");
  BOOST_TEST(status().last_failure->reason == "NoResult");
  BOOST_TEST(status().recovery.failures == 1);
}

BOOST_FIXTURE_TEST_CASE(needs_exit_code_0_not_only_a_result, JobFixture) {
  start();
  end(kWorker0, 139, kResult);
  pass();
  BOOST_TEST(status().state == "Restarting");
}

BOOST_FIXTURE_TEST_CASE(needs_a_pod_of_this_attempt, JobFixture) {
  start();
  end(kWorker1, 139);
  pass();
  end(kWorker0, 0, kResult);
  settle();
  BOOST_TEST(status().state == "Restarting");
}

BOOST_FIXTURE_TEST_CASE(is_final, JobFixture) {
  start();
  end(kWorker0, 0, kResult);
  settle();
  const api::JobStatus finished = status();
  remove(kWorker0);
  end(kWorker1, 139);
  end(kServer0, 75);
  job.suspend = true;
  job.run_policy.active_deadline_seconds = 1;
  creations = 0;
  observed.service = ChildState::kMissing;
  advance(seconds(100));
  settle();
  BOOST_CHECK(status() == finished);
  BOOST_TEST(creations == 0);
}

BOOST_FIXTURE_TEST_CASE(follows_the_generation_of_the_spec, JobFixture) {
  start();
  end(kWorker0, 0, kResult);
  settle();
  job.meta.generation = 7;
  settle();
  BOOST_TEST(status().observed_generation == 7);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::completion_test
