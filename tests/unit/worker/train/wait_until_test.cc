#include "worker/train/wait_until.h"

#include <boost/test/unit_test.hpp>

namespace sumac::worker::wait_until_test {

BOOST_AUTO_TEST_SUITE(wait_until)

BOOST_AUTO_TEST_CASE(a_long_wait_counts_as_work_while_it_lasts) {
  WorkCount work;
  const TimePoint due = SystemClock().now() + 3 * kCountEvery;
  waitUntil(due, &work);
  BOOST_TEST((SystemClock().now() >= due));
  BOOST_TEST(work.done() >= 3U);
}

BOOST_AUTO_TEST_CASE(a_time_that_is_past_is_not_waited_for) {
  WorkCount work;
  waitUntil(TimePoint(), &work);
  waitFor(0, &work);
  waitUntil(TimePoint(), nullptr);
  BOOST_TEST(work.done() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::wait_until_test
