#include "operator/control/rate_limiter.h"

#include <future>
#include <thread>

#include <boost/test/unit_test.hpp>

namespace sumac::control::rate_limiter_test {

BOOST_AUTO_TEST_SUITE(rate_limiter, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(lets_a_burst_pass_and_counts_what_others_wait) {
  const SystemClock clock;
  RateLimiter limiter(clock, /*rate=*/1000, /*burst=*/2);

  for (int i = 0; i < 2; ++i)
    BOOST_TEST(limiter.acquire(std::stop_token()));
  BOOST_TEST(limiter.waitedSeconds() == 0.0);
  for (int i = 0; i < 5; ++i)
    BOOST_TEST(limiter.acquire(std::stop_token()));

  BOOST_TEST(limiter.waitedSeconds() > 0.0);
}

BOOST_AUTO_TEST_CASE(a_stop_ends_a_wait) {
  const SystemClock clock;
  RateLimiter limiter(clock, /*rate=*/0.001, /*burst=*/1);
  BOOST_REQUIRE(limiter.acquire(std::stop_token()));
  std::promise<bool> acquired;
  {
    std::jthread waiter(
        [&](const std::stop_token& stop) { acquired.set_value(limiter.acquire(stop)); });
  }
  BOOST_TEST(!acquired.get_future().get());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control::rate_limiter_test
