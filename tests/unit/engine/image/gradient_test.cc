#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "engine/nn/engine.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/engine/image/reference_network.h"
#include "tests/unit/engine/image/samples.h"

namespace sumac::worker::gradient_test {
namespace {

// The engine's gradient against central differences of the fp64 reference, every parameter (or
// every n-th), in every variant.
void checkGradient(const model::Network& network, std::size_t every = 1, std::size_t count = 3) {
  constexpr float kScale = 0.25F;
  constexpr double kStep = 1e-6;
  const Samples samples(network, count, 5);
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
      TestEngine engine(network, kernels, static_cast<std::int64_t>(count) + 1);
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

using namespace model;  // NOLINT(google-build-using-namespace): every kind of layer

std::vector<LayerKind> withClassifier(std::vector<LayerKind> kinds) {
  for (const LayerKind& kind :
       {LayerKind{Flatten{}}, LayerKind{Dense{3}}, LayerKind{SoftmaxCrossEntropy{}}})
    kinds.push_back(kind);
  return kinds;
}

Residual residualOf(std::vector<LayerKind> kinds, std::vector<LayerKind> shortcut = {}) {
  Residual residual;
  for (const LayerKind& kind : kinds)
    residual.layers.push_back({"a" + std::to_string(residual.layers.size()), kind, {}});
  for (const LayerKind& kind : shortcut)
    residual.shortcut.push_back({"b" + std::to_string(residual.shortcut.size()), kind, {}});
  return residual;
}

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

BOOST_AUTO_TEST_CASE(of_every_activation_agrees_behind_every_kind_of_layer) {
  for (const LayerKind& activation : {LayerKind{Relu{}}, LayerKind{Tanh{}}, LayerKind{Sigmoid{}}}) {
    checkGradient(networkOf({6}, {activation, Dense{5}, activation, Dense{4}, activation,
                                  activation, SoftmaxCrossEntropy{}}));
    checkGradient(networkOf(
        {2, 11, 10},
        withClassifier({activation, Conv2d{3, 3, 1, 1}, activation, MaxPool{2}, Conv2d{2, 3},
                        MaxPool{2}, activation, Conv2d{4, 1}, activation, Flatten{}, activation})));
  }
}

BOOST_AUTO_TEST_CASE(of_grouped_convolutions_agrees_with_and_without_bias) {
  for (const bool bias : {true, false}) {
    checkGradient(networkOf(
        {4, 6, 5},
        withClassifier(
            {Conv2d{.outputs = 6, .kernel = 3, .padding = 1, .groups = 2, .bias = bias}, Relu{},
             Conv2d{.outputs = 9, .kernel = 2, .stride = 2, .groups = 3, .bias = bias}})));
  }
}

BOOST_AUTO_TEST_CASE(of_a_dense_layer_without_bias_agrees) {
  checkGradient(networkOf({7}, {Dense{5, false}, Tanh{}, Dense{4}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(of_pooling_agrees_with_padding_and_with_windows_beyond_the_image) {
  for (const bool ceil : {false, true}) {
    for (const int padding : {0, 1}) {
      const MaxPool most{.kernel = 3, .stride = 2, .padding = padding, .ceil = ceil};
      const AveragePool mean{.kernel = 3, .stride = 2, .padding = padding, .ceil = ceil};
      checkGradient(networkOf(
          {2, 8, 7}, withClassifier({Conv2d{3, 3, 1, 1}, most, Relu{}, Conv2d{2, 2, 1, 1}, mean})));
      checkGradient(
          networkOf({2, 9, 10}, withClassifier({Conv2d{3, 3, 1, 1}, mean, Tanh{}, most})));
    }
  }
}

BOOST_AUTO_TEST_CASE(of_a_global_average_agrees) {
  checkGradient(networkOf({2, 5, 4}, {Conv2d{3, 3, 1, 1}, Relu{}, GlobalAveragePool{}, Dense{3},
                                      SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(of_batch_norm_agrees_on_images_and_vectors) {
  const Conv2d conv{.outputs = 3, .kernel = 3, .padding = 1, .bias = false};
  for (const std::size_t count : {2U, 17U}) {
    checkGradient(
        networkOf({2, 4, 5}, withClassifier({BatchNorm{}, conv, BatchNorm{}, Relu{}, conv,
                                             BatchNorm{.epsilon = 1e-3}, Flatten{}, BatchNorm{}})),
        3, count);
    checkGradient(
        networkOf({6}, {Dense{5}, BatchNorm{}, Sigmoid{}, Dense{4}, SoftmaxCrossEntropy{}}), 1,
        count);
  }
}

BOOST_AUTO_TEST_CASE(of_residuals_agrees_where_values_and_gradients_meet) {
  const Conv2d same{.outputs = 3, .kernel = 3, .padding = 1};
  const Conv2d half{.outputs = 4, .kernel = 3, .stride = 2, .padding = 1};
  const Conv2d project{.outputs = 4, .kernel = 1, .stride = 2};
  checkGradient(
      networkOf({3, 6, 6}, withClassifier({residualOf({same, Relu{}, same}), Relu{},
                                           residualOf({same, BatchNorm{}, Relu{}, same}), Relu{},
                                           residualOf({half, Relu{}}, {project, BatchNorm{}}),
                                           Relu{}, MaxPool{2}})),
      3);
  checkGradient(networkOf(
      {5}, {Dense{4}, residualOf({Dense{6}, Tanh{}, Dense{4}}), Dense{3}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(of_a_value_that_is_flattened_and_convolved_agrees) {
  const Conv2d same{.outputs = 3, .kernel = 3, .padding = 1};
  checkGradient(networkOf(
      {3, 4, 4},
      withClassifier({same, Relu{}, residualOf({same, Flatten{}}, {Flatten{}}), Tanh{}})));
}

BOOST_AUTO_TEST_CASE(of_dropout_agrees_for_what_the_counters_say) {
  checkGradient(networkOf({2, 5, 5}, {Dropout{0.3}, Conv2d{3, 3, 1, 1}, Relu{}, Dropout{0.5},
                                      Flatten{}, Dropout{0.25}, Dense{7}, Tanh{}, Dropout{0.1},
                                      Dense{3}, SoftmaxCrossEntropy{}}),
                1, 18);
}

BOOST_AUTO_TEST_CASE(of_parts_that_do_not_fill_their_vectors_agrees) {
  for (const std::size_t count : {1U, 15U, 16U, 17U, 33U}) {
    checkGradient(networkOf({1, 6, 6}, withClassifier({Conv2d{2, 3, 1, 1}, Relu{}, MaxPool{2},
                                                       Conv2d{3, 3}, Sigmoid{}})),
                  1, count);
  }
}

// So many weights that their sums are not kept between groups of blocks: all blocks come at once,
// though their gradients do not fit the second-level cache.
BOOST_AUTO_TEST_CASE(of_a_convolution_with_many_weights_agrees_over_several_blocks) {
  const Conv2d wide{.outputs = 512, .kernel = 3, .padding = 1};
  checkGradient(networkOf({64, 2, 2}, withClassifier({wide})), 30011, 40);
}

BOOST_AUTO_TEST_CASE(of_cifar10_quick_agrees) {
  checkGradient(resolve(fromZoo("cifar10-quick").value()).value(), 9973, 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::gradient_test
