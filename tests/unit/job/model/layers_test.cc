#include <boost/test/unit_test.hpp>

#include "tests/unit/job/model/networks.h"

namespace sumac::model::layers_test {
namespace {

/// The output of one layer on an image.
std::string shapeAfter(const LayerKind& kind, Shape input) {
  const auto network =
      resolve(aNetwork(std::move(input), {kind, Flatten{}, SoftmaxCrossEntropy{}}));
  return network ? toString(network->layers.at(0).output) : network.error().message;
}

Network valid(const NetworkSpec& spec, TextExtents text = {}) {
  auto network = resolve(spec, text);
  BOOST_REQUIRE_MESSAGE(network.has_value(), messageOf(spec, text));
  return std::move(*network);
}

std::string tensorsOf(const Network& network) {
  std::string list;
  for (const Tensor& tensor : network.tensors) {
    list += tensor.name + " " + toString(tensor.shape) + (tensor.is_bias ? " bias" : "") +
            (tensor.is_scale ? " scale" : "") + "\n";
  }
  return list;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layers)

BOOST_AUTO_TEST_CASE(a_pool_with_ceil_has_pytorchs_shapes) {
  const auto pool = [](int kernel, int stride, int padding, bool ceil) {
    return MaxPool{.kernel = kernel, .stride = stride, .padding = padding, .ceil = ceil};
  };

  BOOST_TEST(shapeAfter(pool(3, 2, 0, false), {1, 32, 32}) == "1x15x15");
  BOOST_TEST(shapeAfter(pool(3, 2, 0, true), {1, 32, 32}) == "1x16x16");
  BOOST_TEST(shapeAfter(pool(3, 2, 0, true), {1, 31, 32}) == "1x15x16");
  BOOST_TEST(shapeAfter(pool(2, 2, 1, false), {1, 3, 3}) == "1x2x2");
  // The third window would begin at 3, behind the image and its left border.
  BOOST_TEST(shapeAfter(pool(2, 2, 1, true), {1, 3, 3}) == "1x2x2");
  BOOST_TEST(shapeAfter(pool(2, 2, 1, true), {1, 4, 4}) == "1x3x3");
  BOOST_TEST(shapeAfter(pool(2, 3, 0, true), {1, 6, 6}) == "1x2x2");
  BOOST_TEST(shapeAfter(pool(1, 3, 0, true), {1, 6, 7}) == "1x2x3");
  BOOST_TEST(shapeAfter(pool(1, 4, 0, true), {1, 6, 8}) == "1x2x2");
}

BOOST_AUTO_TEST_CASE(an_average_pool_has_the_shapes_of_a_max_pool) {
  BOOST_TEST(shapeAfter(AveragePool{.kernel = 3, .stride = 2, .padding = 1}, {4, 8, 9}) == "4x4x5");
  BOOST_TEST(shapeAfter(AveragePool{.kernel = 3}, {4, 9, 9}) == "4x3x3");
  BOOST_TEST(shapeAfter(GlobalAveragePool{}, {4, 8, 9}) == "4");
}

BOOST_AUTO_TEST_CASE(groups_divide_the_inputs_of_a_convolution) {
  const Conv2d conv{.outputs = 6, .kernel = 3, .groups = 2, .bias = false};

  const Network network = valid(aNetwork({4, 5, 5}, {conv, Flatten{}, SoftmaxCrossEntropy{}}));

  BOOST_TEST(tensorsOf(network) == "conv1.weight 6x2x3x3\n");
  BOOST_TEST(network.forward_macs == 3 * 3 * 6 * 2 * 9);
  BOOST_TEST(network.tensors[0].fan_in == 18);
  BOOST_TEST(network.tensors[0].fan_out == 27);
}

BOOST_AUTO_TEST_CASE(a_dense_layer_may_go_without_bias) {
  const Network network = valid(aNetwork({4}, {Dense{3, false}, SoftmaxCrossEntropy{}}));

  BOOST_TEST(tensorsOf(network) == "dense1.weight 3x4\n");
  BOOST_TEST(network.layers[0].tensors.size() == 1U);
}

BOOST_AUTO_TEST_CASE(dropout_wants_a_rate_below_one) {
  for (const double rate : {0.0, 0.5, 0.999}) {
    BOOST_TEST(shapeAfter(Dropout{rate}, {4}) == "4");
  }
}

BOOST_AUTO_TEST_CASE(batch_norm_has_a_scale_a_bias_and_statistics_per_channel) {
  const Network network = valid(aNetwork({3, 4, 4}, {BatchNorm{}, Flatten{}, Dense{.outputs = 5},
                                                     BatchNorm{}, SoftmaxCrossEntropy{}}));

  BOOST_TEST(tensorsOf(network) ==
             "norm1.weight 3 scale\nnorm1.bias 3 bias\ndense1.weight 5x48\ndense1.bias 5 bias\n"
             "norm2.weight 5 scale\nnorm2.bias 5 bias\n");
  BOOST_TEST(network.statistics == 2 * 3 + 2 * 5);
  BOOST_TEST(network.layers[0].statistics.offset == 0);
  BOOST_TEST(network.layers[0].statistics.count == 6);
  BOOST_TEST(network.layers[3].statistics.offset == 6);
  BOOST_TEST(network.layers[3].statistics.count == 10);
  BOOST_TEST(network.forward_macs == 48 * 5);
}

BOOST_AUTO_TEST_CASE(activations_keep_the_shape) {
  for (const LayerKind& kind : {LayerKind{Relu{}}, LayerKind{Tanh{}}, LayerKind{Sigmoid{}}}) {
    BOOST_TEST(shapeAfter(kind, {2, 3, 4}) == "2x3x4");
    BOOST_TEST(shapeAfter(kind, {7}) == "7");
  }
}

BOOST_AUTO_TEST_CASE(a_layer_takes_what_the_one_before_it_gives) {
  const Network network = valid(aNetwork({4}, {Dense{3}, Relu{}, SoftmaxCrossEntropy{}}));

  BOOST_TEST(network.layers[0].from == std::vector<int>{-1}, boost::test_tools::per_element());
  BOOST_TEST(network.layers[1].from == std::vector<int>{0}, boost::test_tools::per_element());
  BOOST_TEST(network.layers[2].from == std::vector<int>{1}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(refuses_values_of_a_layer_that_are_out_of_range) {
  const auto on = [](Shape input, const LayerKind& kind) {
    return aNetwork(std::move(input), {kind, SoftmaxCrossEntropy{}});
  };
  checkRefused("job/model/layers.txt",
               {{"conv1", on({4, 5, 5}, Conv2d{.outputs = 6, .kernel = 1, .groups = 4})},
                {"conv1", on({4, 5, 5}, Conv2d{.outputs = 6, .kernel = 1, .groups = 3})},
                {"conv1", on({4, 5, 5}, Conv2d{.outputs = 6, .kernel = 1, .groups = 0})},
                {"dropout1", on({4}, Dropout{-0.1})},
                {"dropout1", on({4}, Dropout{1})},
                {"dropout1", on({4}, Dropout{2})},
                {"dropout1", on({4}, Dropout{std::numeric_limits<double>::quiet_NaN()})},
                {"norm1", on({4}, BatchNorm{.epsilon = 0})},
                {"norm1", on({4}, BatchNorm{.momentum = 1.5})},
                // Only made of a residual's end.
                {"add1", on({4}, Add{})}});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::model::layers_test
