#include "base/core/token_bucket.h"

#include <vector>

#include <boost/test/unit_test.hpp>
#include <rapidcheck.h>

namespace sumac::token_bucket_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TimePoint kStart{seconds(1000)};

}  // namespace

BOOST_AUTO_TEST_SUITE(token_bucket)

BOOST_AUTO_TEST_CASE(gives_a_burst_at_once_and_then_at_its_rate) {
  TokenBucket bucket(/*rate=*/50, /*burst=*/3);

  for (int i = 0; i < 3; ++i)
    BOOST_TEST((bucket.reserve(kStart) == Duration::zero()));

  BOOST_TEST((bucket.reserve(kStart) == milliseconds(20)));
  BOOST_TEST((bucket.reserve(kStart) == milliseconds(40)));
}

BOOST_AUTO_TEST_CASE(keeps_no_more_than_a_burst_after_a_rest) {
  TokenBucket bucket(/*rate=*/10, /*burst=*/2);
  bucket.reserve(kStart);

  const TimePoint later = kStart + std::chrono::hours(1);
  bucket.reserve(later);
  bucket.reserve(later);

  BOOST_TEST((bucket.reserve(later) == milliseconds(100)));
}

BOOST_AUTO_TEST_CASE(a_clock_that_seems_to_go_back_gives_nothing_away) {
  TokenBucket bucket(/*rate=*/10, /*burst=*/1);
  bucket.reserve(kStart);

  BOOST_TEST((bucket.reserve(kStart - seconds(1)) == seconds(1) + milliseconds(100)));
  BOOST_TEST((bucket.reserve(kStart) == milliseconds(200)));
}

BOOST_AUTO_TEST_CASE(never_lets_more_through_than_rate_and_burst_allow_and_keeps_the_order) {
  const bool holds = rc::check(
      "n requests take at least (n - burst) / rate; who comes first goes first",
      [](const std::vector<std::uint8_t>& pauses) {
        constexpr double kRate = 20;
        constexpr int kBurst = 4;
        TokenBucket bucket(kRate, kBurst);
        TimePoint now = kStart;
        TimePoint last_sent = kStart;
        std::vector<TimePoint> sent;
        for (const std::uint8_t pause : pauses) {
          now += milliseconds(pause);
          sent.push_back(now + bucket.reserve(now));
          RC_ASSERT(sent.back() >= last_sent);
          last_sent = sent.back();
        }
        for (std::size_t i = kBurst; i < sent.size(); ++i) {
          RC_ASSERT(sent[i] - sent[i - kBurst] >= milliseconds(50) - std::chrono::microseconds(1));
        }
      });
  BOOST_TEST(holds);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::token_bucket_test
