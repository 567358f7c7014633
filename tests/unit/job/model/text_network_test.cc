#include <boost/test/unit_test.hpp>

#include "tests/unit/job/model/networks.h"

namespace sumac::model::text_network_test {
namespace {

NetworkSpec textNetwork() {
  return aNetwork({5}, {Embedding{3}, Lstm{4, 2}, Dense{}, SoftmaxCrossEntropy{}});
}

/// One layer between embedding and loss.
NetworkSpec withLayer(const LayerKind& kind) {
  return aNetwork({5}, {Embedding{3}, kind, SoftmaxCrossEntropy{}});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(text_network)

BOOST_AUTO_TEST_CASE(gives_a_value_for_each_word_at_every_time_step) {
  const auto network = resolve(textNetwork(), {.vocabulary = 7});

  BOOST_REQUIRE(network);
  std::string shapes;
  for (const Layer& layer : network->layers)
    shapes += toString(layer.output) + " ";
  BOOST_TEST(shapes == "5x3 5x4 5x7 5x7 ");
  BOOST_TEST(network->classes == 7);
  BOOST_TEST(network->vocabulary() == 7);
  BOOST_TEST(network->isText());
  BOOST_TEST(std::get<Dense>(network->layers[2].spec.kind).outputs == 7);
}

BOOST_AUTO_TEST_CASE(has_an_lstms_tensors_layer_after_layer) {
  const auto network = resolve(textNetwork(), {.vocabulary = 7});

  BOOST_REQUIRE(network);
  std::string list;
  for (const int index : network->layers[1].tensors) {
    const Tensor& tensor = network->tensors.at(static_cast<std::size_t>(index));
    list += tensor.name + " " + toString(tensor.shape) + " " + std::to_string(tensor.fan_in) + " " +
            std::to_string(tensor.fan_out) + (tensor.is_bias ? " bias" : "") + "\n";
  }
  BOOST_TEST(list ==
             "lstm1.weight_ih_l0 16x3 7 4\nlstm1.weight_hh_l0 16x4 7 4\nlstm1.bias_l0 16 7 4 bias\n"
             "lstm1.weight_ih_l1 16x4 8 4\nlstm1.weight_hh_l1 16x4 8 4\n"
             "lstm1.bias_l1 16 8 4 bias\n");
  BOOST_TEST(network->layers[1].recurrent.count == 2 * 4 * 2);
  BOOST_TEST(network->recurrent == 16);
}

BOOST_AUTO_TEST_CASE(counts_multiply_accumulates_of_every_time_step_and_none_of_the_embedding) {
  const auto network = resolve(textNetwork(), {.vocabulary = 7});

  BOOST_REQUIRE(network);
  BOOST_TEST(network->layers[0].macs == 0);
  BOOST_TEST(network->layers[1].macs == 5 * (16 * 7 + 16 * 8));
  BOOST_TEST(network->layers[2].macs == 5 * 4 * 7);
}

BOOST_AUTO_TEST_CASE(takes_words_and_time_steps_from_the_job_before_its_own) {
  NetworkSpec spec = textNetwork();
  spec.vocabulary = 9;

  BOOST_TEST(resolve(spec)->vocabulary() == 9);
  BOOST_TEST(toString(resolve(spec)->input) == "5");
  BOOST_TEST(resolve(spec, {.vocabulary = 7})->vocabulary() == 7);
  BOOST_TEST(toString(resolve(spec, {.unroll = 12})->layers[1].output) == "12x4");
}

BOOST_AUTO_TEST_CASE(leaves_networks_of_other_data_alone) {
  const auto network = resolve(aNetwork({4}, {Dense{2}, SoftmaxCrossEntropy{}}), {7, 20});

  BOOST_REQUIRE(network);
  BOOST_TEST(toString(network->input) == "4");
  BOOST_TEST(network->vocabulary() == 0);
}

BOOST_AUTO_TEST_CASE(ends_with_a_value_for_each_word) {
  BOOST_TEST(resolve(withLayer(Dense{}), {.vocabulary = 7}).has_value());
  BOOST_TEST(resolve(withLayer(Dense{7}), {.vocabulary = 7}).has_value());
}

BOOST_AUTO_TEST_CASE(names_the_layer_that_takes_no_sequence_or_gives_no_words) {
  const TextExtents seven{.vocabulary = 7};

  checkRefused("job/model/text_network.txt",
               {{"embedding1", textNetwork()},  // of how many words?
                {"loss1", withLayer(Dense{6}), seven},
                {"flatten1", withLayer(Flatten{}), seven},
                {"norm1", withLayer(BatchNorm{}), seven},
                {"pool1", withLayer(MaxPool{2}), seven},
                {"embedding2", withLayer(Embedding{3}), seven},
                {"lstm1", aNetwork({4}, {Lstm{4}, SoftmaxCrossEntropy{}})},
                {"lstm1", withLayer(Lstm{0}), seven},
                {"lstm1", withLayer(Lstm{4, 0}), seven},
                {"lstm1", withLayer(Lstm{4, 65}), seven},
                {"residual1", withLayer(Residual{chain({Dense{.outputs = 3}}), {}}), seven},
                {"embedding1", aNetwork({1, 4, 4}, {Embedding{3}, SoftmaxCrossEntropy{}}), seven}});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::model::text_network_test
