#include <boost/test/unit_test.hpp>

#include "operator/trainingjob/policy/job_size.h"
#include "tests/unit/operator/trainingjob/policy/full_cluster.h"

// When a number of workers that found no room is tried again
// (operator/trainingjob/policy/job_size.h).

namespace sumac::trainingjob::scale_again_test {

BOOST_FIXTURE_TEST_SUITE(scale_that_did_not_fit, FullCluster)

BOOST_AUTO_TEST_CASE(is_tried_again_after_ten_minutes) {
  scaleInVain();
  run();
  advance(kScaleRetry - seconds(1));
  settle();
  BOOST_TEST(status().attempt == 2);
  BOOST_TEST(isWaiting());
  BOOST_CHECK(look().again_after == Duration(seconds(1)));
  advance(seconds(1));
  settle();
  BOOST_TEST(status().attempt == 3);
  BOOST_TEST(status().worker.desired == 4);
}

BOOST_AUTO_TEST_CASE(waits_twice_as_long_after_each_try_in_vain) {
  scaleInVain();
  for (const int minutes : {10, 20, 40, 80, 160, 240, 240}) {
    run();
    const int attempt = status().attempt;
    BOOST_TEST(status().worker.desired == 2);
    advance(std::chrono::minutes(minutes) - seconds(1));
    settle();
    BOOST_TEST(status().attempt == attempt);
    advance(seconds(1));
    settle();
    BOOST_TEST(status().worker.desired == 4);
    makePods();
    advance(kScaleFit);
    settle();
  }
}

BOOST_AUTO_TEST_CASE(waits_ten_minutes_again_after_another_size_or_one_that_ran) {
  scaleInVain();
  run();
  advance(kScaleRetry);
  makePods();
  advance(kScaleFit);
  settle();
  BOOST_TEST(status().scale.refused->tries == 2);
  run();
  advance(kScaleCoolDown);

  scaleTo(3);
  BOOST_TEST(!status().scale.refused.has_value());
  run();
  advance(kScaleCoolDown);
  scaleInVain();
  BOOST_TEST(status().scale.refused->tries == 1);
  BOOST_TEST(status().worker.desired == 3);
  run();
  advance(kScaleRetry);
  run();
  BOOST_TEST(status().workers == "4/4");
  BOOST_TEST(!status().scale.refused.has_value());
}

// The spec has changed elsewhere: the number is tried at once, and is the same.
BOOST_AUTO_TEST_CASE(goes_on_doubling_where_another_field_changed) {
  scaleInVain();
  run();
  advance(kScaleCoolDown);
  edit();
  settle();
  makePods();
  advance(kScaleFit);
  settle();
  BOOST_TEST(status().scale.refused->tries == 2);
}

BOOST_AUTO_TEST_CASE(waits_no_longer_than_the_longest_whatever_a_status_says) {
  scaleInVain();
  job.status.scale.refused->tries = 2'000'000'000;
  run();
  advance(kLongestScaleRetry - seconds(1));
  settle();
  BOOST_TEST(status().worker.desired == 2);
  advance(seconds(1));
  makePods();
  BOOST_TEST(status().worker.desired == 4);
  advance(kScaleFit);
  settle();
  BOOST_TEST(status().worker.desired == 2);
}

BOOST_AUTO_TEST_CASE(is_tried_again_when_the_spec_has_changed) {
  scaleInVain();
  run();
  advance(kScaleCoolDown);
  settle();
  BOOST_TEST(status().attempt == 2);
  edit();
  settle();
  BOOST_TEST(status().attempt == 3);
  BOOST_TEST(status().worker.desired == 4);
}

BOOST_AUTO_TEST_CASE(is_not_used_by_a_restart_for_another_cause_meanwhile) {
  scaleInVain();
  run();
  end(kWorker1, 139);
  run();
  BOOST_TEST(status().workers == "2/2");
  BOOST_TEST(status().attempt == 3);
  BOOST_TEST(isWaiting());
}

BOOST_AUTO_TEST_CASE(is_tried_again_where_the_time_was_written_by_a_wrong_clock) {
  scaleInVain();
  run();
  now -= std::chrono::hours(24);
  settle();
  BOOST_TEST(status().worker.desired == 4);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::scale_again_test
