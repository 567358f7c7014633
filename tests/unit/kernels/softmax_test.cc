#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"
#include "tests/support/kernel_variants.h"

namespace sumac::softmax_test {
BOOST_AUTO_TEST_SUITE(softmax)

BOOST_AUTO_TEST_CASE(loss_and_gradients_agree_with_the_definition) {
  const std::vector<float> logits{1, 2, 3, -100, 100, 0};
  const std::vector<std::int32_t> labels{2, 0};
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> losses(2);
    std::vector<float> gradients = logits;
    kernels->softmaxCrossEntropy(losses.data(), gradients.data(), gradients.data(), labels.data(),
                                 3, 2, 0.5F);
    const double sum = std::exp(-2.0) + std::exp(-1.0) + 1.0;
    BOOST_TEST(losses[0] == static_cast<float>(std::log(sum)), boost::test_tools::tolerance(1e-6F));
    BOOST_TEST(losses[1] == 200.0F);
    BOOST_TEST(gradients[0] == static_cast<float>(0.5 * std::exp(-2.0) / sum),
               boost::test_tools::tolerance(1e-6F));
    BOOST_TEST(gradients[2] == static_cast<float>(0.5 * (1.0 / sum - 1.0)),
               boost::test_tools::tolerance(1e-6F));
    BOOST_TEST(gradients[3] == -0.5F);
    BOOST_TEST(gradients[4] == 0.5F);

    std::vector<float> losses_only(2);
    kernels->softmaxCrossEntropy(losses_only.data(), nullptr, logits.data(), labels.data(), 3, 2,
                                 1.0F);
    BOOST_TEST(losses_only == losses, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(of_a_large_vocabulary_agrees_and_has_the_same_bits_in_every_variant) {
  constexpr std::size_t kRows = 3;
  for (const std::size_t classes : {2U, 15U, 16U, 17U, 1000U, 10007U}) {
    const Rng rng(classes, 3);
    std::vector<float> logits(kRows * classes);
    for (std::size_t i = 0; i < logits.size(); ++i)
      logits[i] = 20.0F * rng.uniform(i) - 12.0F;
    const auto last = static_cast<std::int32_t>(classes) - 1;
    const std::vector<std::int32_t> labels{0, last, last / 2};
    std::vector<float> first_losses;
    std::vector<float> first_gradients;
    for (const Kernels& kernels : everyVariant()) {
      std::vector<float> losses(kRows);
      std::vector<float> gradients = logits;
      kernels->softmaxCrossEntropy(losses.data(), gradients.data(), gradients.data(), labels.data(),
                                   classes, kRows, 1.0F);
      if (first_losses.empty()) first_losses = losses;
      if (first_gradients.empty()) first_gradients = gradients;
      BOOST_REQUIRE(losses == first_losses);
      BOOST_REQUIRE(gradients == first_gradients);
      std::vector<float> losses_only(kRows);
      kernels->softmaxCrossEntropy(losses_only.data(), nullptr, logits.data(), labels.data(),
                                   classes, kRows, 1.0F);
      BOOST_REQUIRE(losses_only == losses);
    }
    for (std::size_t row = 0; row < kRows; ++row) {
      const float* const x = logits.data() + row * classes;
      double sum = 0;
      for (std::size_t i = 0; i < classes; ++i)
        sum += std::exp(static_cast<double>(x[i]));
      const auto label = static_cast<std::size_t>(labels[row]);
      const double loss = std::log(sum) - static_cast<double>(x[label]);
      BOOST_CHECK_SMALL(static_cast<double>(first_losses[row]) - loss, 2e-6);
      for (std::size_t i = 0; i < classes; ++i) {
        const double gradient =
            std::exp(static_cast<double>(x[i])) / sum - (i == label ? 1.0 : 0.0);
        BOOST_REQUIRE_SMALL(static_cast<double>(first_gradients[row * classes + i]) - gradient,
                            2e-7);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(of_huge_and_of_infinite_logits_is_right_and_nan_stays_nan) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> logits{3e38F, -3e38F, 1e30F, 0, -infinity, 0, 1, nan, 2};
    const std::vector<std::int32_t> labels{0, 0, 2};
    std::vector<float> losses(3);
    kernels->softmaxCrossEntropy(losses.data(), logits.data(), logits.data(), labels.data(), 3, 3,
                                 1.0F);
    BOOST_TEST(losses[0] == 0.0F);
    BOOST_TEST(losses[1] == std::log(2.0F), boost::test_tools::tolerance(1e-6F));
    BOOST_TEST(std::isnan(losses[2]));
    BOOST_TEST(logits[4] == 0.0F);
    BOOST_TEST(std::isnan(logits[6]));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::softmax_test
