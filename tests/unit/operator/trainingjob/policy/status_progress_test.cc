#include "operator/trainingjob/policy/status_progress.h"

#include <limits>

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::status_progress_test {
namespace {

struct TrainingFixture : JobFixture {
  TrainingFixture() {
    start();
    advance(seconds(100));
  }

  /// Whether a status is written when slot 0 says this.
  bool writesAt(std::int64_t step) {
    observed.progress = Progress();
    observed.progress->step = step;
    observed.progress->total_steps = 1000;
    return pass().status.has_value();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(progress)

BOOST_FIXTURE_TEST_CASE(is_written_when_it_moved_by_1_percent, TrainingFixture) {
  BOOST_TEST(!writesAt(9));
  BOOST_TEST(writesAt(10));
  BOOST_TEST(status().progress->step == 10);
  BOOST_CHECK(status().progress->last_update == now);
  advance(seconds(100));
  BOOST_TEST(!writesAt(19));
  BOOST_TEST(writesAt(20));
}

BOOST_FIXTURE_TEST_CASE(has_no_phases_of_steps, TrainingFixture) {
  observed.progress = Progress();
  observed.progress->step = 500;
  observed.progress->gradient_seconds = 1.5;
  BOOST_TEST(pass().status.has_value());
  BOOST_TEST(!status().progress->gradient_seconds.has_value());
}

BOOST_FIXTURE_TEST_CASE(warns_once_that_checkpoints_are_skipped, TrainingFixture) {
  BOOST_TEST(writesAt(100));
  advance(seconds(100));
  observed.progress->checkpoint = 90;
  observed.progress->skipped = 100;

  BOOST_TEST(pass().status.has_value());

  BOOST_TEST(hasEvent("CheckpointSkipped"));
  BOOST_TEST(status().progress->skipped.value() == 100);
  advance(seconds(100));
  observed.progress->step = 200;
  const Decision later = pass();
  BOOST_TEST(later.status.has_value());
  BOOST_TEST(later.events.empty());  // it has been told
  advance(seconds(100));
  observed.progress->checkpoint = 200;
  observed.progress->skipped.reset();
  BOOST_TEST(pass().status.has_value());
  BOOST_TEST(!status().progress->skipped.has_value());
}

BOOST_FIXTURE_TEST_CASE(of_a_new_attempt_keeps_the_newest_checkpoint, TrainingFixture) {
  observed.progress = Progress();
  observed.progress->step = 100;
  observed.progress->total_steps = 1000;
  observed.progress->checkpoint = 90;
  pass();
  advance(seconds(100));

  BOOST_TEST(writesAt(500));

  BOOST_TEST(status().progress->checkpoint.value() == 90);
}

BOOST_FIXTURE_TEST_CASE(may_be_as_large_as_a_pod_can_tell, TrainingFixture) {
  observed.progress = Progress();
  observed.progress->total_steps = std::numeric_limits<std::int64_t>::max();
  observed.progress->step = 1;
  BOOST_TEST(!pass().status.has_value());
  observed.progress->step = observed.progress->total_steps;
  BOOST_TEST(pass().status.has_value());
}

BOOST_FIXTURE_TEST_CASE(is_due_where_the_last_write_is_said_to_be_in_the_future, TrainingFixture) {
  BOOST_TEST(writesAt(100));
  job.status.progress->last_update = now + std::chrono::years(7000);
  BOOST_TEST(writesAt(500));
}

BOOST_FIXTURE_TEST_CASE(is_written_every_10_s_at_most, TrainingFixture) {
  BOOST_TEST(writesAt(100));
  advance(seconds(9));
  BOOST_TEST(!writesAt(300));
  BOOST_CHECK(look().again_after == Duration(seconds(1)));
  advance(seconds(1));
  BOOST_TEST(writesAt(300));
}

BOOST_FIXTURE_TEST_CASE(takes_a_fifth_of_the_operators_requests_at_most, TrainingFixture) {
  observed.running_jobs = 1000;
  observed.status_rate = 50;
  BOOST_TEST(writesAt(100));
  advance(seconds(99));
  BOOST_TEST(!writesAt(900));
  advance(seconds(1));
  BOOST_TEST(writesAt(900));
}

BOOST_FIXTURE_TEST_CASE(is_not_written_while_it_stands_still, TrainingFixture) {
  BOOST_TEST(writesAt(500));
  for (int i = 0; i < 10; ++i) {
    advance(seconds(100));
    BOOST_TEST(!writesAt(500));
  }
}

BOOST_FIXTURE_TEST_CASE(goes_along_with_every_other_change, TrainingFixture) {
  BOOST_TEST(writesAt(500));
  advance(seconds(1));
  observed.progress->step = 501;
  end(kWorker1, 139);
  pass();
  BOOST_TEST(status().progress->step == 501);
  BOOST_TEST(status().recovery.highest_step == 501);
}

BOOST_FIXTURE_TEST_CASE(goes_back_after_a_restart_from_a_checkpoint, TrainingFixture) {
  BOOST_TEST(writesAt(500));
  advance(seconds(100));
  BOOST_TEST(writesAt(400));
  BOOST_TEST(status().progress->step == 400);
}

BOOST_FIXTURE_TEST_CASE(of_an_unknown_length_is_written_with_any_step, TrainingFixture) {
  observed.progress = Progress();
  observed.progress->step = 1;
  BOOST_TEST(pass().status.has_value());
}

BOOST_AUTO_TEST_CASE(has_an_interval_for_any_rate) {
  BOOST_CHECK(progressInterval(0, 50) == seconds(10));
  BOOST_CHECK(progressInterval(100, 50) == seconds(10));
  BOOST_CHECK(progressInterval(1000, 20) == seconds(250));
  BOOST_CHECK(progressInterval(1, 0) == seconds(3600));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::status_progress_test
