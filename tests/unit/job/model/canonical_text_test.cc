#include <functional>
#include <set>

#include <boost/test/unit_test.hpp>

#include "tests/unit/job/model/networks.h"

namespace sumac::model::canonical_text_test {
namespace {

std::string textOf(const NetworkSpec& spec, TextExtents text = {}) {
  const auto network = resolve(spec, text);
  BOOST_REQUIRE_MESSAGE(network.has_value(), messageOf(spec, text));
  return canonicalText(*network);
}

/// The texts of a network with each of these first layers all differ.
void checkDiffer(const Shape& input, const std::vector<LayerKind>& kinds) {
  std::set<std::string> texts;
  for (const LayerKind& kind : kinds) {
    texts.insert(
        textOf(aNetwork(input, {kind, Flatten{}, Dense{.outputs = 5}, SoftmaxCrossEntropy{}})));
  }
  BOOST_TEST(texts.size() == kinds.size());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(canonical_text)

BOOST_AUTO_TEST_CASE(says_what_is_computed_and_where_parameters_lie) {
  const Conv2d conv{.outputs = 2, .kernel = 3};

  BOOST_TEST(textOf(aNetwork({1, 4, 4}, {conv, Flatten{}, SoftmaxCrossEntropy{}})) ==
             "input=1x4x4\n"
             "layer.0=conv1 conv2d outputs 2 kernel 3 stride 1 padding 0 groups 1 bias 1 from -1: "
             "1x4x4 to 2x2x2\n"
             "layer.1=flatten1 flatten from 0: 2x2x2 to 8\n"
             "layer.2=loss1 softmaxCrossEntropy from 1: 8 to 8\n"
             "tensor.0=conv1.weight 2x1x3x3 at 0\n"
             "tensor.1=conv1.bias 2 at 18\n"
             "parameters=20\n");
}

BOOST_AUTO_TEST_CASE(differs_where_a_member_of_a_layer_differs) {
  checkDiffer({4, 9, 9}, {Conv2d{2, 3}, Conv2d{4, 3}, Conv2d{2, 2}, Conv2d{2, 3, 2},
                          Conv2d{2, 3, 1, 1}, Conv2d{2, 3, 1, 0, 2}, Conv2d{2, 3, 1, 0, 1, false}});
  checkDiffer({4, 9, 9}, {MaxPool{2}, MaxPool{3}, MaxPool{2, 1}, MaxPool{2, 2, 1},
                          MaxPool{2, 2, 0, true}, AveragePool{2}});
  // The same shapes with and without ceil.
  checkDiffer({4, 8, 8}, {MaxPool{2}, MaxPool{2, 2, 0, true}});
  checkDiffer({4}, {Dense{3}, Dense{4}, Dense{3, false}});
  checkDiffer({4}, {Dropout{0.5}, Dropout{0.25}, Relu{}, Tanh{}, Sigmoid{}});
  checkDiffer({4}, {BatchNorm{}, BatchNorm{1e-4}, BatchNorm{1e-5, 0.2}});
}

BOOST_AUTO_TEST_CASE(differs_where_a_text_network_differs) {
  const auto text = [](int embedding, int outputs, int layers, TextExtents extents) {
    return textOf(aNetwork({5}, {Embedding{embedding}, Lstm{outputs, layers}, Dense{},
                                 SoftmaxCrossEntropy{}}),
                  extents);
  };

  const std::set<std::string> texts{text(3, 4, 1, {7, 0}), text(4, 4, 1, {7, 0}),
                                    text(3, 5, 1, {7, 0}), text(3, 4, 2, {7, 0}),
                                    text(3, 4, 1, {8, 0}), text(3, 4, 1, {7, 6})};
  BOOST_TEST(texts.size() == 6U);
}

BOOST_AUTO_TEST_CASE(differs_where_a_shortcut_leads_elsewhere) {
  const auto network = resolve(
      aNetwork({4}, {Dense{4}, Residual{chain({Relu{}}), {}}, Dense{2}, SoftmaxCrossEntropy{}}));
  BOOST_REQUIRE(network);
  Network other = *network;
  other.layers[2].from[1] = -1;

  BOOST_TEST(canonicalText(other) != canonicalText(*network));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::model::canonical_text_test
