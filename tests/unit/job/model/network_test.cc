#include "job/model/network.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/job/model/networks.h"

namespace sumac::model::network_test {

BOOST_AUTO_TEST_SUITE(network)

BOOST_AUTO_TEST_CASE(lenet5_has_61706_parameters_and_416520_multiply_accumulates) {
  const auto spec = fromZoo("lenet5");
  BOOST_REQUIRE(spec);

  const auto network = resolve(*spec);

  BOOST_REQUIRE(network);
  BOOST_TEST(network->parameters == 61706);
  BOOST_TEST(network->forward_macs == 416520);
  BOOST_TEST(network->classes == 10);
  BOOST_TEST(network->layers.size() == 13U);
}

BOOST_AUTO_TEST_CASE(gives_each_layer_of_lenet5_its_shapes) {
  const auto network = resolve(*fromZoo("lenet5"));
  BOOST_REQUIRE(network);

  std::string shapes;
  for (const Layer& layer : network->layers) {
    shapes += layer.spec.name + " " + toString(layer.output) + "\n";
  }

  BOOST_TEST(shapes ==
             "conv1 6x28x28\nrelu1 6x28x28\npool1 6x14x14\nconv2 16x10x10\nrelu2 16x10x10\n"
             "pool2 16x5x5\nflatten1 400\ndense1 120\nrelu3 120\ndense2 84\nrelu4 84\ndense3 10\n"
             "loss1 10\n");
}

BOOST_AUTO_TEST_CASE(lays_tensors_one_after_another_weight_before_bias) {
  const auto network = resolve(*fromZoo("lenet5"));
  BOOST_REQUIRE(network);

  std::int64_t end = 0;
  for (const Tensor& tensor : network->tensors) {
    BOOST_TEST(tensor.offset == end);
    end += tensor.count();
  }

  BOOST_TEST(end == network->parameters);
  BOOST_TEST(network->tensors.size() == 10U);
  BOOST_TEST(network->tensors[2].name == "conv2.weight");
  BOOST_TEST(toString(network->tensors[2].shape) == "16x6x5x5");
  BOOST_TEST(network->tensors[2].fan_in == 150);
  BOOST_TEST(network->tensors[2].fan_out == 400);
  BOOST_TEST(!network->tensors[2].is_bias);
  BOOST_TEST(network->tensors[3].name == "conv2.bias");
  BOOST_TEST(network->tensors[3].is_bias);
  BOOST_TEST(toString(network->tensors[9].shape) == "10");
  BOOST_TEST(network->layers[3].tensors == (std::vector<int>{2, 3}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(sets_the_stride_of_a_pool_to_its_kernel) {
  const auto network =
      resolve(aNetwork({2, 7, 9}, {MaxPool{.kernel = 3}, Flatten{}, SoftmaxCrossEntropy{}}));

  BOOST_REQUIRE(network);
  BOOST_TEST(std::get<MaxPool>(network->layers[0].spec.kind).stride == 3);
  BOOST_TEST(toString(network->layers[0].output) == "2x2x3");
}

BOOST_AUTO_TEST_CASE(drops_the_rows_that_a_stride_does_not_reach) {
  const Conv2d conv{.outputs = 1, .kernel = 3, .stride = 2, .padding = 1};

  const auto even = resolve(aNetwork({1, 6, 7}, {conv, Flatten{}, SoftmaxCrossEntropy{}}));

  BOOST_REQUIRE(even);
  BOOST_TEST(toString(even->layers[0].output) == "1x3x4");
  BOOST_TEST(even->forward_macs == 3 * 4 * 9);
}

BOOST_AUTO_TEST_CASE(fits_a_kernel_of_exactly_the_input_and_none_larger) {
  const auto network = [](int kernel) {
    return aNetwork({3, 4, 4},
                    {Conv2d{.outputs = 5, .kernel = kernel}, Flatten{}, SoftmaxCrossEntropy{}});
  };

  const auto exact = resolve(network(4));

  BOOST_REQUIRE(exact);
  BOOST_TEST(toString(exact->layers[0].output) == "5x1x1");
  BOOST_TEST(!resolve(network(5)));
}

BOOST_AUTO_TEST_CASE(names_the_layer_that_its_input_or_its_place_does_not_allow) {
  const auto image = [](const LayerKind& kind) {
    return aNetwork({1, 8, 8}, {kind, Flatten{}, SoftmaxCrossEntropy{}});
  };
  const auto before_loss = [](Shape input, const LayerKind& kind) {
    return aNetwork(std::move(input), {kind, SoftmaxCrossEntropy{}});
  };
  const auto loss = [](Shape input) { return aNetwork(std::move(input), {SoftmaxCrossEntropy{}}); };
  const auto named = [](const char* name) {
    NetworkSpec spec = aNetwork({4}, {Dense{4}, Dense{2}, SoftmaxCrossEntropy{}});
    spec.layers[1].name = name;
    return spec;
  };
  constexpr int kHuge = 2'000'000'000;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

  checkRefused("job/model/network.txt",
               {{"conv1", image(Conv2d{5, 9})},
                // Its message names flatten.
                {"dense1", before_loss({1, 28, 28}, Dense{10})},
                {"pool1", before_loss({784}, MaxPool{.kernel = 2})},
                {"conv1", before_loss({784}, Conv2d{1, 1, 1, 0})},
                {"", aNetwork({4}, {})},
                {"", aNetwork({4}, {Dense{2}})},
                {"relu1", aNetwork({4}, {SoftmaxCrossEntropy{}, Relu{}})},
                {"loss2", before_loss({4}, SoftmaxCrossEntropy{})},
                {"loss1", loss({1})},
                {"loss1", loss({2, 1, 1})},
                {"conv1", image(Conv2d{0, 3, 1, 0})},
                {"conv1", image(Conv2d{1, 0, 1, 0})},
                {"conv1", image(Conv2d{1, 3, 0, 0})},
                {"conv1", image(Conv2d{1, 3, 1, -1})},
                {"conv1", image(Conv2d{1, 3, 1, 3})},
                {"pool1", image(MaxPool{0, 1})},
                {"pool1", image(MaxPool{2, -1})},
                {"pool1", image(MaxPool{3, 1, 2})},
                {"averagePool1", image(AveragePool{2, 1, -1})},
                {"dense1", before_loss({4}, Dense{0})},
                {"", aNetwork({kMost, kMost, kMost}, {Flatten{}})},
                {"dense1", before_loss({kHuge}, Dense{kHuge})},
                {"conv1", aNetwork({1, 1000, 1000}, {Conv2d{kHuge, 1, 1, 0}})},
                {"conv1", aNetwork({1, 4, 4}, {Conv2d{1, kHuge, 1, kHuge - 1}})},
                {"", loss({})},
                {"", loss({0})},
                {"", loss({3, 4})},
                {"", loss({1, -1, 1})},
                {"", loss({1, 1, 1, 1})},
                {"dense1", named("dense1")},
                {"a.b", named("a.b")}});
}

BOOST_AUTO_TEST_CASE(begins_a_message_with_the_place_of_a_layer_that_has_one) {
  NetworkSpec spec = aNetwork({1, 2, 2}, {Dense{2}, SoftmaxCrossEntropy{}});
  spec.layers[0].position = {17, 5};

  BOOST_TEST(messageOf(spec).starts_with("17:5: layer dense1"));
}

BOOST_AUTO_TEST_CASE(counts_the_ordinal_of_named_layers_too) {
  std::vector<LayerSpec> layers{{"first", Dense{4}, {}}, {{}, Dense{2}, {}}};

  nameLayers(layers);

  BOOST_TEST(layers[0].name == "first");
  BOOST_TEST(layers[1].name == "dense2");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::model::network_test
