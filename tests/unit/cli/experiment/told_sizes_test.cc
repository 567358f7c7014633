#include "cli/experiment/told_sizes.h"

#include <chrono>
#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::cli::told_sizes_test {
namespace {

using autoscaling::Reason;

/// The states of a job, a second apart.
struct Fixture {
  void choose(int workers, const std::string& reason, const std::string& why = "") {
    job.autoscaling.emplace();
    auto& choice = job.status.autoscaling.emplace();
    choice.workers_wanted = workers;
    choice.reason = reason;
    choice.message = why;
    told.onJob(job, now += std::chrono::seconds(1));
  }
  void have(int workers) {
    job.worker_replicas = workers;
    told.onJob(job, now += std::chrono::seconds(1));
  }

  api::TrainingJob job;
  TimePoint now;
  ToldSizes told;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(told_sizes, Fixture)

BOOST_AUTO_TEST_CASE(changes_are_told_and_each_reason_to_stay_once_between_two) {
  choose(1, "Measuring");
  choose(4, "SavesTime", "saves 3 s\nuntil the end");
  choose(4, "Stabilizing");
  choose(4, "RightSize", "4 workers are the right number");
  choose(4, "RightSize", "4 workers are still the right number");
  choose(2, "Room");
  choose(2, "RightSize");
  BOOST_TEST_REQUIRE(told.all().size() == 4U);
  const auto& first = told.all()[0];
  BOOST_TEST(first.from == 1);
  BOOST_TEST(first.to == 4);
  BOOST_TEST((first.reason == Reason::kSavesTime));
  BOOST_TEST(first.why == "saves 3 s until the end");
  BOOST_TEST((first.at == TimePoint{} + std::chrono::seconds(2)));
  BOOST_TEST(told.all()[1].to == told.all()[1].from);
  BOOST_TEST((told.all()[2].reason == Reason::kRoom));
  BOOST_TEST((told.all()[3].reason == Reason::kRightSize));
}

BOOST_AUTO_TEST_CASE(what_anybody_may_have_written_is_no_reason) {
  choose(1, "Measuring");
  choose(3, "BecauseISaySo");
  choose(0, "SavesTime");
  choose(-1, "SavesTime");
  BOOST_TEST(told.all().empty());
  choose(2, "SavesTime");
  BOOST_TEST_REQUIRE(told.all().size() == 1U);
  BOOST_TEST(told.all()[0].from == 3);
}

BOOST_AUTO_TEST_CASE(an_autoscaler_that_is_not_the_jobs_sets_its_replicas) {
  have(1);
  have(1);
  have(3);
  BOOST_TEST_REQUIRE(told.all().size() == 1U);
  BOOST_TEST(told.all()[0].from == 1);
  BOOST_TEST(told.all()[0].to == 3);
  BOOST_TEST((told.all()[0].reason == Reason::kUtilization));
}

BOOST_AUTO_TEST_CASE(the_replicas_of_a_job_that_sizes_itself_say_nothing) {
  job.autoscaling.emplace();
  have(1);
  have(3);
  BOOST_TEST(told.all().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::told_sizes_test
