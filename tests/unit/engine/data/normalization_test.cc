#include "engine/data/normalization.h"

#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::worker::normalization_test {
namespace {

constexpr auto kPerElement = boost::test_tools::per_element();

}  // namespace

BOOST_AUTO_TEST_SUITE(normalization)

BOOST_AUTO_TEST_CASE(is_of_each_channel_of_scaled_pixels) {
  // The first channel has 0, 255, 0, 255, the second 51 alone.
  const Samples samples{
      .shape = {2, 1, 2}, .pixels = {0, 255, 51, 51, 0, 255, 51, 51}, .labels = {0, 1}};

  const auto found = meanAndDeviation(samples);

  BOOST_TEST(found.mean == (std::vector<float>{0.5F, 0.2F}), kPerElement);
  BOOST_TEST(found.deviation == (std::vector<float>{0.5F, 1.0F}), kPerElement);
}

BOOST_AUTO_TEST_CASE(is_of_each_feature_of_values) {
  const Samples samples{
      .shape = {3}, .values = {1, -4, 7, 3, -4, 7, 2, -4, 10}, .labels = {0, 1, 1}};

  const auto found = meanAndDeviation(samples);

  BOOST_TEST(found.mean == (std::vector<float>{2, -4, 8}), kPerElement);
  BOOST_TEST(found.deviation[0] == 0.81649661F);
  BOOST_TEST(found.deviation[1] == 1.0F);
  BOOST_TEST(found.deviation[2] == 1.41421356F);
}

BOOST_AUTO_TEST_CASE(does_not_lose_a_small_deviation_of_large_values) {
  const Samples samples{.shape = {1}, .values = {16'777'214.0F, 16'777'216.0F}, .labels = {0, 1}};

  BOOST_TEST(meanAndDeviation(samples).deviation[0] == 1.0F);
  BOOST_TEST(meanAndDeviation(samples).mean[0] == 16'777'215.0F);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::normalization_test
