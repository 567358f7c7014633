#include "base/core/rounded.h"

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

namespace sumac::rounded_test {

BOOST_AUTO_TEST_SUITE(rounded_)

BOOST_AUTO_TEST_CASE(keeps_six_significant_digits) {
  BOOST_TEST(rounded(1234.5678) == 1234.57);
  BOOST_TEST(rounded(-0.00012345678) == -0.000123457);
}

BOOST_AUTO_TEST_CASE(the_smallest_and_the_largest_numbers_stay_numbers) {
  using Limits = std::numeric_limits<double>;
  BOOST_TEST(rounded(Limits::denorm_min()) == Limits::denorm_min());
  BOOST_TEST(rounded(-Limits::min()) == -Limits::min());
  BOOST_TEST(rounded(Limits::max()) == 1.79769e308);
}

BOOST_AUTO_TEST_CASE(zero_has_no_sign) {
  BOOST_TEST(!std::signbit(rounded(-0.0)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::rounded_test
