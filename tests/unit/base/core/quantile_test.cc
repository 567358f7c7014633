#include "base/core/quantile.h"

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"

namespace sumac::quantile_test {

BOOST_AUTO_TEST_SUITE(quantiles)

BOOST_AUTO_TEST_CASE(the_median_lies_in_the_middle_in_any_order) {
  BOOST_TEST(median({3}) == 3);
  BOOST_TEST(median({5, 1, 4, 2, 3}) == 3);
  BOOST_TEST(median({4, 1}) == 2.5);
  BOOST_CHECK_THROW(median({}), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(a_quantile_lies_between_its_neighbours) {
  const std::vector<double> sorted{0, 10, 20};
  BOOST_TEST(quantile(sorted, 0) == 0);
  BOOST_TEST(quantile(sorted, 0.25) == 5);
  BOOST_TEST(quantile(sorted, 1) == 20);
  BOOST_CHECK_THROW(quantile(sorted, 1.5), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::quantile_test
