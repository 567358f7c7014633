#include "planner/network/layer_list.h"

#include <limits>

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"

namespace sumac::planner::layer_list_test {
namespace {

Layer aLayer() {
  Layer layer{.name = "conv1", .kind = LayerKind::kConvolution};
  layer.input_channels = 3;
  layer.output_channels = 8;
  layer.input_extents = layer.output_extents = {4, 5};
  layer.kernel = {3, 3};
  layer.weights = 216;
  layer.biases = 8;
  layer.macs = 4320;
  return layer;
}

Result<void> checked(const std::vector<Layer>& layers) {
  return checkLayers({"test", "a test", layers});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layer_list)

BOOST_AUTO_TEST_CASE(counts_values_and_parameters) {
  const Layer layer = aLayer();

  BOOST_TEST(layer.inputs() == 60);
  BOOST_TEST(layer.outputs() == 160);
  BOOST_TEST(layer.parameters() == 224);
  BOOST_TEST(positions({}) == 1);
  BOOST_TEST(checked({layer}).has_value());
}

BOOST_AUTO_TEST_CASE(adds_up_its_layers) {
  const LayerList list{"test", "a test", {aLayer(), aLayer()}};

  BOOST_TEST(list.parameters() == 448);
  BOOST_TEST(list.macs() == 8640);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_with_the_layers_name) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::pair<const char*, void (*)(Layer&)> kChanges[] = {
      {"no channel", [](Layer& layer) { layer.input_channels = 0; }},
      {"extents below zero",
       [](Layer& layer) {
         layer.output_extents = {4, -5};
       }},
      {"extents that overflow",
       [](Layer& layer) {
         layer.output_extents = {kMost, kMost};
       }},
      {"channels that overflow", [](Layer& layer) { layer.input_channels = kMost; }},
      {"no kernel",
       [](Layer& layer) {
         layer.kernel = {0, 3};
       }},
      {"no stride", [](Layer& layer) { layer.stride = 0; }},
      {"a long stride", [](Layer& layer) { layer.stride = kMost; }},
      {"no group", [](Layer& layer) { layer.groups = 0; }},
      {"weights below zero", [](Layer& layer) { layer.weights = -1; }},
      {"biases that overflow", [](Layer& layer) { layer.biases = kMost; }},
      {"operations below zero", [](Layer& layer) { layer.macs = -1; }}};
  test::Refusals refusals;
  refusals.add("no layer", checked({}));
  for (const auto& [name, change] : kChanges) {
    Layer layer = aLayer();
    change(layer);
    refusals.add(name, checked({layer}), "conv1");
  }
  Layer half = aLayer();
  half.macs = kMost / 2 + 1;
  BOOST_TEST(checked({half}).has_value());
  refusals.add("a sum that overflows", checked({half, half}));
  refusals.compareWith("planner/network/layer_list.txt");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::layer_list_test
