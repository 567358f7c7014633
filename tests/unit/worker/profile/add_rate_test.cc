#include "worker/profile/add_rate.h"

#include <deque>

#include <boost/test/unit_test.hpp>

#include "tests/support/plain_kernels.h"

namespace sumac::worker::add_rate_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Time passes only between two looks at it, and each time as long as it was said to.
class SteppingClock final : public Clock {
 public:
  explicit SteppingClock(std::deque<Duration> steps) : steps_(std::move(steps)) {}
  TimePoint now() const override {
    ++looks;
    if (steps_.empty()) return now_;
    now_ += steps_.front();
    if (steps_.size() > 1) steps_.pop_front();
    return now_;
  }

  mutable int looks = 0;

 private:
  mutable std::deque<Duration> steps_;  // the last one for good
  mutable TimePoint now_{};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(add_rate)

BOOST_AUTO_TEST_CASE(is_that_of_the_fastest_run) {
  const SteppingClock clock({microseconds(0), microseconds(0), milliseconds(100), microseconds(9)});
  BOOST_TEST(measuredAddRate(kPlainKernels, clock) == 29'127'111'111U);  // 256 KiB in 9 us
}

BOOST_AUTO_TEST_CASE(takes_four_runs_on_a_slow_machine_and_eight_at_most) {
  const SteppingClock slow({milliseconds(2)});
  BOOST_TEST(measuredAddRate(kPlainKernels, slow) == 131'072'000U);
  BOOST_TEST(slow.looks == 1 + 2 * 4);
  const SteppingClock stands({});
  BOOST_TEST(measuredAddRate(kPlainKernels, stands) > 0U);
  BOOST_TEST(stands.looks == 1 + 2 * 8);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::add_rate_test
