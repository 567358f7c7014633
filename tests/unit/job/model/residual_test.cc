#include <boost/test/unit_test.hpp>

#include "tests/unit/job/model/networks.h"

namespace sumac::model::residual_test {
namespace {

const Conv2d kThree{.outputs = 3, .kernel = 3, .padding = 1};

NetworkSpec withResidual(const std::vector<LayerKind>& layers,
                         const std::vector<LayerKind>& shortcut) {
  return aNetwork({2, 4, 4},
                  {Conv2d{.outputs = 3, .kernel = 1}, Residual{chain(layers), chain(shortcut)},
                   Flatten{}, Dense{5}, SoftmaxCrossEntropy{}});
}

std::string linesOf(const Network& network) {
  std::string lines;
  for (const Layer& layer : network.layers) {
    lines += layer.spec.name + " " + std::string(kindName(layer.spec.kind));
    for (const int from : layer.from)
      lines += " " + std::to_string(from);
    lines += "\n";
  }
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(residual)

BOOST_AUTO_TEST_CASE(becomes_its_layers_its_shortcut_and_an_add) {
  const auto network =
      resolve(withResidual({kThree, Relu{}, kThree}, {Conv2d{.outputs = 3, .kernel = 1}}));

  BOOST_REQUIRE(network);
  BOOST_TEST(linesOf(*network) ==
             "conv1 conv2d -1\n"
             "residual1.conv1 conv2d 0\n"
             "residual1.relu1 relu 1\n"
             "residual1.conv2 conv2d 2\n"
             "residual1.shortcut.conv1 conv2d 0\n"
             "residual1 add 3 4\n"
             "flatten1 flatten 5\n"
             "dense1 dense 6\n"
             "loss1 softmaxCrossEntropy 7\n");
  BOOST_TEST(network->tensors[2].name == "residual1.conv1.weight");
  BOOST_TEST(network->tensors[6].name == "residual1.shortcut.conv1.weight");
  BOOST_TEST(toString(network->layers[5].output) == "3x4x4");
}

BOOST_AUTO_TEST_CASE(adds_its_input_without_a_shortcut) {
  const auto network = resolve(withResidual({kThree}, {}));

  BOOST_REQUIRE(network);
  BOOST_TEST(network->layers[2].from == (std::vector<int>{1, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(may_take_the_networks_input) {
  const auto network =
      resolve(aNetwork({4}, {Residual{chain({Dense{4}}), {}}, Dense{2}, SoftmaxCrossEntropy{}}));

  BOOST_REQUIRE(network);
  BOOST_TEST(network->layers[1].from == (std::vector<int>{0, -1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(keeps_names_of_the_user_behind_its_own) {
  NetworkSpec spec = withResidual({kThree}, {});
  spec.layers[1].name = "block";
  std::get<Residual>(spec.layers[1].kind).layers[0].name = "first";

  const auto network = resolve(spec);

  BOOST_REQUIRE(network);
  BOOST_TEST(network->tensors[2].name == "block.first.weight");
}

BOOST_AUTO_TEST_CASE(names_a_layer_inside_by_its_whole_name) {
  NetworkSpec twice = withResidual({kThree, kThree}, {});
  auto& inside = std::get<Residual>(twice.layers[1].kind).layers;
  inside[1].name = inside[0].name;

  checkRefused("job/model/residual.txt",
               {{"residual1", withResidual({Conv2d{.outputs = 3, .kernel = 3}}, {})},
                {"residual1.shortcut.dense1", withResidual({kThree}, {Dense{5}})},
                {"residual1.residual1", withResidual({Residual{chain({Relu{}}), {}}}, {})},
                {"residual1.loss1", withResidual({SoftmaxCrossEntropy{}}, {})},
                {"residual1", withResidual({}, {kThree})},
                {"residual1.conv1", twice}});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::model::residual_test
