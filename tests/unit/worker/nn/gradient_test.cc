#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/kernel_variants.h"
#include "tests/unit/worker/nn/reference_network.h"
#include "tests/unit/worker/nn/samples.h"
#include "worker/nn/engine.h"

namespace sumac::worker {
namespace {

// The engine's gradient against central differences of the fp64 reference, every parameter (or
// every n-th), in every variant.
void checkGradient(const model::Network& network, std::size_t every = 1) {
  constexpr float kScale = 0.25F;
  constexpr double kStep = 1e-6;
  const Samples samples(network, 3, 5);
  const auto weights = randomWeights(network, 9);
  std::vector<double> exact(weights.begin(), weights.end());
  const auto lossAt = [&](std::size_t i, double value) {
    exact[i] = value;
    return referenceLoss(network, exact, samples.inputs, samples.labels);
  };
  std::vector<double> expected(weights.size());
  for (std::size_t i = 0; i < weights.size(); i += every) {
    const double w = exact[i];
    const double above = lossAt(i, w + kStep);
    const double below = lossAt(i, w - kStep);
    exact[i] = w;
    expected[i] = static_cast<double>(kScale) * (above - below) / (2 * kStep);
  }
  const double loss = static_cast<double>(kScale) * lossAt(0, exact[0]);

  for (const Kernels& kernels : everyVariant()) {
    BOOST_TEST_CONTEXT("kernels " << toString(kernels.variant())) {
      TestEngine engine(network, kernels, 4);
      std::vector<float> gradient(weights.size(), 1e9F);
      const float found = engine.gradient(weights, samples.batch(), kScale, gradient);
      BOOST_TEST(static_cast<double>(found) == loss, boost::test_tools::tolerance(1e-5));
      for (std::size_t i = 0; i < weights.size(); i += every) {
        const double error = std::abs(static_cast<double>(gradient[i]) - expected[i]);
        BOOST_REQUIRE_MESSAGE(
            error < 2e-5 * (1.0 + std::abs(expected[i])),
            "parameter " << i << " is " << gradient[i] << ", expected " << expected[i]);
      }
    }
  }
}

using model::Conv2d;
using model::Dense;
using model::Flatten;
using model::MaxPool;
using model::Relu;
using model::SoftmaxCrossEntropy;

}  // namespace

BOOST_AUTO_TEST_SUITE(gradient)

BOOST_AUTO_TEST_CASE(of_dense_agrees_with_central_differences) {
  checkGradient(networkOf({7}, {Dense{5}, Dense{4}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(of_relu_agrees_with_central_differences) {
  checkGradient(networkOf({7}, {Relu{}, Dense{9}, Relu{}, Dense{4}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(of_convolutions_agrees_for_any_stride_and_padding) {
  for (const int stride : {1, 2, 3}) {
    for (const int padding : {0, 1, 2}) {
      checkGradient(networkOf({2, 7, 8}, {Conv2d{3, 3, stride, padding}, Conv2d{4, 2, 1, 1},
                                          Flatten{}, Dense{3}, SoftmaxCrossEntropy{}}));
    }
  }
}

BOOST_AUTO_TEST_CASE(of_a_kernel_as_large_as_the_image_and_of_one_pixel_agrees) {
  checkGradient(networkOf({3, 4, 5}, {Conv2d{4, 1, 1, 0}, Conv2d{5, 4, 1, 0}, Flatten{}, Dense{3},
                                      SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(of_windows_that_lie_in_the_padding_agrees) {
  checkGradient(networkOf({1, 2, 2}, {Conv2d{2, 5, 1, 4}, Conv2d{2, 3, 2, 2}, Flatten{}, Dense{2},
                                      SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(of_wide_images_and_large_kernels_agrees) {
  checkGradient(
      networkOf({2, 9, 35}, {Conv2d{5, 7, 1, 3}, Relu{}, MaxPool{2, 2}, Conv2d{3, 2, 1, 1},
                             Flatten{}, Dense{3}, SoftmaxCrossEntropy{}}),
      11);
}

BOOST_AUTO_TEST_CASE(of_max_pool_agrees_for_windows_apart_and_overlapping) {
  for (const MaxPool& pool : {MaxPool{2, 2}, MaxPool{3, 1}, MaxPool{2, 3}}) {
    checkGradient(networkOf({2, 7, 9}, {Conv2d{3, 3, 1, 1}, pool, Conv2d{2, 2, 1, 0}, Flatten{},
                                        Dense{3}, SoftmaxCrossEntropy{}}));
  }
}

BOOST_AUTO_TEST_CASE(of_a_small_convolutional_network_agrees) {
  checkGradient(
      networkOf({1, 10, 10}, {Conv2d{4, 3, 1, 1}, Relu{}, MaxPool{2, 2}, Conv2d{6, 3, 1, 0}, Relu{},
                              Flatten{}, Dense{12}, Relu{}, Dense{5}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(of_lenet5_agrees) {
  checkGradient(lenet5(), 397);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker
