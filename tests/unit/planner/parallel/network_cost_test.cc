#include "planner/parallel/network_cost.h"

#include <boost/test/unit_test.hpp>

#include "tests/papers/architectures.h"

namespace sumac::planner::parallel_test {
namespace {

const LayerCost& layerOf(const NetworkCost& network, std::string_view name) {
  for (const LayerCost& layer : network.layers) {
    if (layer.name == name) return layer;
  }
  BOOST_FAIL("no layer " << name);
  return network.layers.front();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(network_cost)

// The output of the first layer alone is 8.49 GB.
BOOST_AUTO_TEST_CASE(cosmoflow_has_three_dimensions) {
  const NetworkCost network = networkCost(*papers::architecture("cosmoflow")).value();
  const LayerCost& first = layerOf(network, "conv1");

  BOOST_TEST(first.output_items == 16.0 * 510 * 510 * 510);
  BOOST_TEST(first.output_items * 4 / 1e9 == 8.49, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(first.positions == 512LL * 512 * 512);
  // A plane of the neighbour's: 4 channels of 512 x 512, and 16 of 510 x 510.
  BOOST_TEST(first.input_halo_items == 4.0 * 512 * 512);
  BOOST_TEST(first.output_halo_items == 16.0 * 510 * 510);
  BOOST_TEST(totals(network).weight_items == 2'131'252);
  BOOST_TEST(totals(network).forward_multiply_accumulates / 1e9 == 472.3,
             boost::test_tools::tolerance(1e-4));
}

BOOST_AUTO_TEST_CASE(a_wider_kernel_needs_more_lines_and_none_needs_none) {
  const NetworkCost network = networkCost(*papers::architecture("lenet5")).value();
  BOOST_TEST(layerOf(network, "conv1").input_halo_items == 2 * 28);
  BOOST_TEST(layerOf(network, "conv1").output_halo_items == 6 * 2 * 28);
  BOOST_TEST(network.layers.back().input_halo_items == 0);
  const NetworkCost residual = networkCost(*papers::architecture("resnet50")).value();
  BOOST_TEST(layerOf(residual, "residual1.conv1").input_halo_items == 0);
}

BOOST_AUTO_TEST_CASE(layers_in_place_need_no_memory) {
  const NetworkCost network = networkCost(*papers::architecture("resnet50")).value();
  for (const LayerCost& layer : network.layers) {
    const bool is_in_place =
        layer.kind == LayerKind::kActivation || layer.kind == LayerKind::kNormalization;
    BOOST_TEST((layer.input_items == 0) == is_in_place, layer.name);
  }
  BOOST_TEST(totals(network).weight_items == 25'557'032);
}

BOOST_AUTO_TEST_CASE(a_samples_time_is_spread_by_multiply_accumulates) {
  NetworkCost network{.name = "two", .layers = {{.name = "a"}, {.name = "b"}}};
  network.layers[0].multiply_accumulates = 1;
  network.layers[1].multiply_accumulates = 3;

  const NetworkCost spread = withSecondsPerSample(network, 12);

  BOOST_TEST(spread.layers[0].forward_seconds == 1);
  BOOST_TEST(spread.layers[0].backward_seconds == 2);
  BOOST_TEST(spread.layers[1].forward_seconds == 3);
  BOOST_TEST(spread.layers[1].backward_seconds == 6);
  network.layers[0].multiply_accumulates = network.layers[1].multiply_accumulates = 0;
  BOOST_TEST(withSecondsPerSample(network, 12).layers[1].backward_seconds == 4);
}

BOOST_AUTO_TEST_CASE(a_network_without_layers_is_rejected) {
  BOOST_TEST(!networkCost({.name = "none", .source = "a test", .layers = {}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::parallel_test
