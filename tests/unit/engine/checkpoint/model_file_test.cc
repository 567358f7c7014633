#include "engine/checkpoint/model_file.h"

#include <numeric>
#include <string>

#include <boost/test/unit_test.hpp>

#include "engine/checkpoint/safetensors.h"

namespace sumac::checkpoint::model_file_test {
namespace {

model::Network networkOf(std::vector<model::LayerKind> kinds, model::Shape input) {
  model::NetworkSpec spec{"test", std::move(input), {}, 4};
  for (const auto& kind : kinds)
    spec.layers.push_back({"", kind, {}});
  model::nameLayers(spec.layers);
  return model::resolve(spec).value();
}

std::vector<float> counted(std::int64_t count, float first) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(model_file)

BOOST_AUTO_TEST_CASE(gives_back_weights_and_statistics) {
  const auto network = networkOf({model::Conv2d{.outputs = 2, .kernel = 1}, model::BatchNorm{},
                                  model::GlobalAveragePool{}, model::SoftmaxCrossEntropy{}},
                                 {3, 2, 2});
  const auto weights = counted(network.parameters, 1);
  const auto statistics = counted(network.statistics, 100);
  const Bytes file = encodeModel(network, weights, statistics, {{"model", "test"}});

  const auto read = decodeModel(network, file);
  BOOST_REQUIRE(read);
  BOOST_TEST(read->weights == weights, boost::test_tools::per_element());
  BOOST_TEST(read->statistics == statistics, boost::test_tools::per_element());
  BOOST_TEST(read->metadata.at("model") == "test");
  BOOST_TEST(shapeInFile(file, "norm1.running_var").value() == (model::Shape{2}),
             boost::test_tools::per_element());
  BOOST_TEST(shapeInFile(file, "conv1.weight").value() == (model::Shape{2, 3, 1, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(gives_back_the_gates_of_an_lstm_in_our_order) {
  const auto network = networkOf({model::Embedding{2}, model::Lstm{.outputs = 2}, model::Dense{},
                                  model::SoftmaxCrossEntropy{}},
                                 {3});
  const auto weights = counted(network.parameters, 1);
  const auto read = decodeModel(network, encodeModel(network, weights, {}, {}));
  BOOST_REQUIRE(read);
  BOOST_TEST(read->weights == weights, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(refuses_a_file_without_the_tensor_that_is_asked_for) {
  const auto network = networkOf({model::Dense{.outputs = 2}, model::SoftmaxCrossEntropy{}}, {3});
  const Bytes file = encodeModel(network, counted(network.parameters, 1), {}, {});
  const auto none = shapeInFile(file, "embedding1.weight");
  BOOST_REQUIRE(!none);
  BOOST_TEST(none.error().message ==
             "not a usable safetensors file: tensor \"embedding1.weight\" is missing");
  BOOST_TEST(!shapeInFile(BytesView(file).first(7), "dense1.weight"));
  const auto other = networkOf({model::Dense{.outputs = 3}, model::SoftmaxCrossEntropy{}}, {3});
  BOOST_TEST(!decodeModel(other, file));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::checkpoint::model_file_test
