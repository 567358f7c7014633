#include "cli/run/sized_run.h"

#include <string_view>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::sized_run_test {
namespace {

/// Asks for nothing.
struct Nobody final : JobObserver {
  void onEvent(const JobEvent& /*event*/, TimePoint /*now*/) override {}
  std::optional<TimePoint> stopAt() const override { return std::nullopt; }
};

/// A folder whose run was stopped, of a job with a budget.
struct Fixture {
  TemporaryFolder folder;
  Nobody nobody;
  job::TrainingJob job;
  std::filesystem::path place = folder / "run";

  Fixture() {
    std::filesystem::create_directory(place);
    job.training.logical_workers = 8;
    job.worker = {.replicas = 2, .min_replicas = 1, .max_replicas = 4};
    job.autoscaling = job::AutoscalingSpec{
        .policy = job::AutoscalingPolicy::kCost, .worker_hour = 3.6, .budget = 5};
  }

  void stopped() {
    SizingRecord record{.started = *parseRfc3339("2026-01-31T12:00:00Z")};
    record.changes = {
        {310, 60, 1, 2, autoscaling::Reason::kSavesTime, "saves 3 min until the end"}};
    record.course.now = 100;
    record.course.workers = record.course.wanted = 2;
    record.course.worker_seconds = 150;
    record.course.memory.observations = {{1, 300, 0.2, 0.15, 60}};
    const std::string_view result = R"({"state": "stopped"})";
    BOOST_REQUIRE(replaceFile(place / "result.json", asBytes(result)));
    BOOST_REQUIRE(addToResult(place / "result.json", record, false).has_value());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sized_run, Fixture)

BOOST_AUTO_TEST_CASE(begins_with_the_fewest_or_with_as_many_as_were_wanted_last) {
  BOOST_TEST(sizedBeginning({}, job, 4) == 1);
  BOOST_TEST(sizedBeginning(place, job, 4) == 1);
  stopped();
  BOOST_TEST(sizedBeginning(place, job, 4) == 2);
  BOOST_TEST(sizedBeginning(place, job, 1) == 1);
  job.worker.min_replicas = 3;
  BOOST_TEST(sizedBeginning(place, job, 4) == 3);
}

BOOST_AUTO_TEST_CASE(a_stopped_run_goes_on_with_what_it_has_used_and_observed) {
  stopped();
  SizedRun run(place, job, 4, TimePoint{}, nobody);
  const std::string text = run.beginText();
  BOOST_TEST(text.find("workers 1 -> 2") != std::string::npos, text);
  BOOST_TEST(text.find("4.85") != std::string::npos, text);  // of the budget
  run.autoscaler().onEvent(CheckpointWritten{1}, TimePoint{} + std::chrono::seconds(10));

  const SizingRecord record = run.record();
  BOOST_TEST((record.started == *parseRfc3339("2026-01-31T12:00:00Z")));
  BOOST_TEST(record.changes.size() == 1U);
  BOOST_TEST(record.course.worker_seconds == 170, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(record.course.memory.observations.size() == 1U);
  // Since the first attempt, with the time between the two.
  BOOST_TEST(record.course.now > 110);
}

BOOST_AUTO_TEST_CASE(one_that_was_killed_counts_anew_and_says_so) {
  BOOST_TEST(SizedRun({}, job, 4, TimePoint{}, nobody).beginText().empty());
  const SizedRun run(place, job, 4, TimePoint{}, nobody);
  BOOST_TEST(run.beginText().find("count anew") != std::string::npos);
  BOOST_TEST(run.record().course.worker_seconds == 0);
  BOOST_TEST(run.record().course.now == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::sized_run_test
