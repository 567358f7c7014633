#include "planner/efficiency/statistical_efficiency.h"

#include <limits>

#include <boost/test/unit_test.hpp>

namespace sumac::planner::statistical_efficiency_test {
namespace {

const auto kExact = boost::test_tools::tolerance(1e-12);

}  // namespace

BOOST_AUTO_TEST_SUITE(statistical_efficiency)

// Gain(s) = (var + sqr) / (var / s + sqr), efficiency = gain / s, with
// the variance `var` at the initial batch: N / B0 where sqr = 1.
BOOST_AUTO_TEST_CASE(gain_and_efficiency_are_those_of_adaptdl) {
  const BatchTrade trade = makeBatchTrade(/*noise_scale_samples=*/300, 100).value();
  constexpr double kVariance = 300.0 / 100;
  for (const double scale : {1.0, 2.0, 5.0, 40.0}) {
    const double gain = (kVariance + 1) / (kVariance / scale + 1);
    BOOST_TEST(trade.gain(100 * scale) == gain, kExact);
    BOOST_TEST(trade.efficiency(100 * scale) == gain / scale, kExact);
  }
}

BOOST_AUTO_TEST_CASE(without_noise_a_larger_batch_is_worth_one_step) {
  const BatchTrade trade = makeBatchTrade(0, 64).value();
  BOOST_TEST(trade.gain(64) == 1, kExact);
  BOOST_TEST(trade.gain(6400) == 1, kExact);
}

BOOST_AUTO_TEST_CASE(with_much_noise_a_batch_twice_as_large_is_worth_two_steps) {
  const BatchTrade trade = makeBatchTrade(1e9, 64).value();
  BOOST_TEST(trade.gain(128) == 2, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(figures_that_are_none_are_rejected) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad : {-1.0, kNan, kInfinity, -kInfinity}) {
    BOOST_TEST(!makeBatchTrade(bad, 64));
    BOOST_TEST(!makeBatchTrade(100, bad));
  }
  BOOST_TEST(!makeBatchTrade(100, 0));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::statistical_efficiency_test
