#include "experiment/measure/statistics.h"

#include <array>
#include <cmath>

#include <boost/test/unit_test.hpp>

namespace sumac::experiment::statistics_test {

BOOST_AUTO_TEST_SUITE(statistics)

// The table of every textbook: probability 0.975, that is 95 % two-sided.
BOOST_AUTO_TEST_CASE(quantiles_are_those_of_the_tables) {
  const auto three_digits = boost::test_tools::tolerance(5e-4);
  BOOST_TEST(studentQuantile(0.975, 1) == 12.706, three_digits);
  BOOST_TEST(studentQuantile(0.975, 2) == 4.303, three_digits);
  BOOST_TEST(studentQuantile(0.975, 4) == 2.776, three_digits);
  BOOST_TEST(studentQuantile(0.975, 9) == 2.262, three_digits);
  BOOST_TEST(studentQuantile(0.975, 30) == 2.042, three_digits);
  BOOST_TEST(studentQuantile(0.95, 5) == 2.015, three_digits);
  BOOST_TEST(studentQuantile(0.975, 1'000'000) == 1.960, three_digits);
}

BOOST_AUTO_TEST_CASE(an_interval_has_the_error_of_the_mean_times_the_quantile) {
  const std::array values{9.0, 10.0, 11.0};  // variance 1
  const Estimate known = estimate(values);

  BOOST_TEST(known.count == 3);
  BOOST_TEST(known.mean == 10);
  BOOST_TEST(known.half_width.value() == 4.302653 / 1.7320508, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(known.relativeHalfWidth().value() == known.half_width.value() / 10);
}

BOOST_AUTO_TEST_CASE(one_measurement_has_no_interval) {
  const std::array values{9.0};
  BOOST_TEST(estimate(values).mean == 9);
  BOOST_TEST(!estimate(values).half_width.has_value());
  BOOST_TEST(!estimate(values).relativeHalfWidth().has_value());
}

BOOST_AUTO_TEST_CASE(equal_measurements_have_an_interval_of_no_width) {
  const std::array values{3.0, 3.0};
  BOOST_TEST(estimate(values).half_width.value() == 0);
}

BOOST_AUTO_TEST_CASE(a_ratio_has_the_error_of_both_means) {
  const Estimate above = estimate(std::array{19.0, 20.0, 21.0});
  const Estimate below = estimate(std::array{9.5, 10.0, 10.5});
  const auto ratio = ratioOf(above, below, 0.05);

  BOOST_REQUIRE(ratio.has_value());
  // Both logarithms have an error of 0.05 / sqrt(3) and two degrees of freedom, together four.
  const double reach = std::exp(2.776445 * 0.05 * std::sqrt(2.0 / 3));
  const auto six_digits = boost::test_tools::tolerance(1e-6);
  BOOST_TEST(ratio->value == 2);
  BOOST_TEST(ratio->low == 2 / reach, six_digits);
  BOOST_TEST(ratio->high == 2 * reach, six_digits);
  const auto inverse = ratioOf(below, above, 0.05);
  BOOST_TEST(inverse->low == 1 / ratio->high, six_digits);
  BOOST_TEST(ratioOf(above, below, 0.01)->low < ratio->low);
}

BOOST_AUTO_TEST_CASE(a_ratio_without_a_spread_is_not_known) {
  const Estimate known = estimate(std::array{9.0, 10.0, 11.0});
  BOOST_TEST(!ratioOf(known, estimate(std::array{9.0}), 0.05).has_value());
  BOOST_TEST(!ratioOf(estimate(std::array{0.0, 0.0}), known, 0.05).has_value());
  const Estimate exact = estimate(std::array{3.0, 3.0});
  BOOST_TEST(ratioOf(exact, exact, 0.05)->high == 1);
  BOOST_TEST(ratioOf(exact, known, 0.05)->low < 0.3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::statistics_test
