#include "planner/network/layer_list.h"

#include <limits>

#include <boost/test/unit_test.hpp>

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

std::string problemWith(const Layer& layer) {
  const auto checked = checkLayers({"test", "a test", {layer}});
  return checked ? "none" : checked.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layer_list)

BOOST_AUTO_TEST_CASE(counts_values_and_parameters) {
  const Layer layer = aLayer();

  BOOST_TEST(layer.inputs() == 60);
  BOOST_TEST(layer.outputs() == 160);
  BOOST_TEST(layer.parameters() == 224);
  BOOST_TEST(positions({}) == 1);
  BOOST_TEST(problemWith(layer) == "none");
}

BOOST_AUTO_TEST_CASE(adds_up_its_layers) {
  const LayerList list{"test", "a test", {aLayer(), aLayer()}};

  BOOST_TEST(list.parameters() == 448);
  BOOST_TEST(list.macs() == 8640);
}

BOOST_AUTO_TEST_CASE(an_empty_list_is_refused) {
  const auto checked = checkLayers({"test", "a test", {}});

  BOOST_REQUIRE(!checked);
  BOOST_TEST(checked.error().message == "network test: it has no layer");
}

BOOST_AUTO_TEST_CASE(a_count_that_cannot_be_is_refused_with_the_layers_name) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto with = [](auto change) {
    Layer layer = aLayer();
    change(layer);
    return problemWith(layer);
  };

  for (const std::string& problem :
       {with([](Layer& layer) { layer.input_channels = 0; }), with([](Layer& layer) {
          layer.output_extents = {4, -5};
        }),
        with([](Layer& layer) {
          layer.output_extents = {kMost, kMost};
        }),
        with([](Layer& layer) { layer.input_channels = kMost; }), with([](Layer& layer) {
          layer.kernel = {0, 3};
        }),
        with([](Layer& layer) { layer.stride = 0; }),
        with([](Layer& layer) { layer.stride = kMost; }),
        with([](Layer& layer) { layer.groups = 0; }),
        with([](Layer& layer) { layer.weights = -1; }),
        with([](Layer& layer) { layer.biases = kMost; }),
        with([](Layer& layer) { layer.macs = -1; })}) {
    BOOST_TEST(problem.rfind("network test: layer conv1: its ", 0) == 0U, problem);
  }
}

BOOST_AUTO_TEST_CASE(a_sum_that_overflows_is_refused) {
  Layer layer = aLayer();
  layer.macs = std::numeric_limits<std::int64_t>::max() / 2 + 1;

  BOOST_TEST(problemWith(layer) == "none");
  const auto checked = checkLayers({"test", "a test", {layer, layer}});
  BOOST_REQUIRE(!checked);
  BOOST_TEST(checked.error().message.find("exceeds 64 bits") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::layer_list_test
