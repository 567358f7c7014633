#include "planner/autoscaling/size_model.h"

#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::autoscaling::size_model_test {
namespace {

constexpr double kStabilization = 60;
const boost::test_tools::fpc::percent_tolerance_t<double> kClose{1e-6};

using Steps = std::vector<ExpectedStep>;
using Observations = std::vector<Observation>;

}  // namespace

BOOST_AUTO_TEST_SUITE(size_model)

BOOST_AUTO_TEST_CASE(a_size_that_was_observed_long_enough_has_its_own_mean) {
  const Observations seen = {{1, 30, 8, 8, 0}, {2, 29, 1.5, 1, 0}, {4, 12, 5, 2, 0}};
  const SizeModel model(8, {}, seen, kStabilization);

  BOOST_TEST(model(1).seconds == 8, kClose);
  BOOST_TEST(model(1).is_observed);
  BOOST_TEST(!model(2).is_observed);  // 29 steps, 43 seconds
  BOOST_TEST(model(4).seconds == 5, kClose);
  BOOST_TEST(model(4).is_observed);
}

BOOST_AUTO_TEST_CASE(others_scale_both_terms_of_what_is_expected) {
  const Steps expected = {{1, 8, 0}, {2, 4, 1}, {4, 2, 1.5}, {8, 1, 1.75}};
  const Observations seen = {{2, 100, 0.9, 0.4, 0}};
  const SizeModel model(8, expected, seen, kStabilization);

  BOOST_TEST(model(1).seconds == 0.8, kClose);
  BOOST_TEST(model(4).seconds == 0.2 + 0.75, kClose);
  BOOST_TEST(model(8).seconds == 0.1 + 0.875, kClose);
  BOOST_TEST(!model(8).is_observed);
}

BOOST_AUTO_TEST_CASE(an_exchange_of_which_nothing_was_observed_is_as_expected) {
  const Steps expected = {{1, 8, 0}, {4, 2, 0.5}};
  const Observations seen = {{1, 100, 0.8, 0.8, 0}};

  BOOST_TEST(SizeModel(8, expected, seen, kStabilization)(4).seconds == 0.2 + 0.5, kClose);
}

BOOST_AUTO_TEST_CASE(between_two_observed_sizes_both_scales_are_linear) {
  const Steps expected = {{1, 8, 1}, {2, 4, 1}, {3, 3, 1}};
  const Observations seen = {{1, 100, 10, 8, 0}, {3, 100, 10, 6, 0}};  // scales 1 and 2; 2 and 4

  BOOST_TEST(SizeModel(8, expected, seen, kStabilization)(2).seconds == 1.5 * 4 + 3, kClose);
}

BOOST_AUTO_TEST_CASE(what_slows_computing_slows_an_unknown_exchange_alike) {
  const Steps expected = {{1, 8, 0}, {2, 4, 1}, {3, 3, 1}};
  const Observations seen = {{1, 100, 8, 8, 0}, {3, 100, 10, 6, 0}};  // 1 and 2; none and 4

  BOOST_TEST(SizeModel(8, expected, seen, kStabilization)(2).seconds == 1.5 * 4 + 3, kClose);
}

BOOST_AUTO_TEST_CASE(without_expectations_computing_is_as_parts_and_the_exchange_always_the_same) {
  const Observations seen = {{2, 100, 5, 4, 0}};
  const SizeModel model(8, {}, seen, kStabilization);

  BOOST_TEST(model(1).seconds == 8, kClose);
  BOOST_TEST(model(3).seconds == 3 + 1, kClose);
  BOOST_TEST(model(8).seconds == 1 + 1, kClose);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::size_model_test
