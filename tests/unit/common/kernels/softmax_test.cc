#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/kernel_variants.h"

namespace sumac {
namespace {

double ulps(float value, double expected) {
  const auto rounded = static_cast<float>(expected);
  const double unit = static_cast<double>(
      std::nextafter(std::abs(rounded), std::numeric_limits<float>::infinity()) -
      std::abs(rounded));
  return std::abs(static_cast<double>(value) - expected) / unit;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(softmax)

BOOST_AUTO_TEST_CASE(exponential_is_within_2_ulp_and_the_same_in_every_variant) {
  std::vector<float> x;
  for (int i = -87000; i <= 88000; i += 7)
    x.push_back(static_cast<float>(i) * 1e-3F);
  std::vector<float> first;
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> out(x.size());
    kernels->exponential(out.data(), x.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      BOOST_REQUIRE_LE(ulps(out[i], std::exp(static_cast<double>(x[i]))), 2.0);
    }
    if (first.empty()) first = out;
    BOOST_TEST(out == first);
  }
}

BOOST_AUTO_TEST_CASE(exponential_of_the_extremes_is_zero_or_nan_but_never_nonsense) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const Kernels& kernels : everyVariant()) {
    const std::vector<float> x{-infinity, -1000.0F, 0.0F, std::numeric_limits<float>::quiet_NaN()};
    std::vector<float> out(x.size());
    kernels->exponential(out.data(), x.data(), x.size());
    BOOST_TEST(out[0] == 0.0F);
    BOOST_TEST(out[1] == 0.0F);
    BOOST_TEST(out[2] == 1.0F);
    BOOST_TEST(std::isnan(out[3]));
  }
}

BOOST_AUTO_TEST_CASE(logarithm_is_within_2_ulp_and_the_same_in_every_variant) {
  std::vector<float> x;
  for (float value = 1e-30F; value < 1e30F; value *= 1.0007F)
    x.push_back(value);
  for (int i = -2000; i < 2000; ++i)
    x.push_back(1.0F + static_cast<float>(i) * 1e-5F);
  std::vector<float> first;
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> out(x.size());
    kernels->logarithm(out.data(), x.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      BOOST_REQUIRE_LE(ulps(out[i], std::log(static_cast<double>(x[i]))), 2.0);
    }
    if (first.empty()) first = out;
    BOOST_TEST(out == first);
  }
}

BOOST_AUTO_TEST_CASE(loss_and_slopes_agree_with_the_definition) {
  const std::vector<float> logits{1, 2, 3, -100, 100, 0};
  const std::vector<std::int32_t> labels{2, 0};
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> losses(2);
    std::vector<float> slopes = logits;
    kernels->softmaxCrossEntropy(losses.data(), slopes.data(), slopes.data(), labels.data(), 3, 2,
                                 0.5F);
    const double sum = std::exp(-2.0) + std::exp(-1.0) + 1.0;
    BOOST_TEST(losses[0] == static_cast<float>(std::log(sum)), boost::test_tools::tolerance(1e-6F));
    BOOST_TEST(losses[1] == 200.0F);
    BOOST_TEST(slopes[0] == static_cast<float>(0.5 * std::exp(-2.0) / sum),
               boost::test_tools::tolerance(1e-6F));
    BOOST_TEST(slopes[2] == static_cast<float>(0.5 * (1.0 / sum - 1.0)),
               boost::test_tools::tolerance(1e-6F));
    BOOST_TEST(slopes[3] == -0.5F);
    BOOST_TEST(slopes[4] == 0.5F);

    std::vector<float> losses_only(2);
    kernels->softmaxCrossEntropy(losses_only.data(), nullptr, logits.data(), labels.data(), 3, 2,
                                 1.0F);
    BOOST_TEST(losses_only == losses, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
