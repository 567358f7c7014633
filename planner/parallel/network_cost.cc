#include "planner/parallel/network_cost.h"

#include <algorithm>

#include "base/core/check.h"

namespace sumac::planner {
namespace {

/// Whether a layer's output takes its input's place.
bool isInPlace(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::kActivation:
    case LayerKind::kNormalization: return true;
    case LayerKind::kOther:
      return layer.inputs() == layer.outputs() && layer.input_extents != layer.output_extents;
    default: return false;
  }
}

/// What one of two neighbours needs of the other's part of a tensor. A kernel as large as its input
/// adds up all of it, which needs no borders.
double haloItems(std::int64_t channels, const Extents& extents, const Extents& kernel) {
  const auto longest = std::ranges::max_element(extents);
  if (longest == extents.end() || kernel.empty() || kernel == extents) return 0;
  const std::int64_t lines = (std::ranges::max(kernel) - 1) / 2;
  const std::int64_t across = positions(extents) / *longest;  // without a remainder
  return static_cast<double>(channels * across) * static_cast<double>(std::min(lines, *longest));
}

LayerCost costOf(const Layer& layer) {
  LayerCost cost{.name = layer.name, .kind = layer.kind};
  if (!isInPlace(layer)) {
    cost.input_items = static_cast<double>(layer.inputs());
    cost.output_items = static_cast<double>(layer.outputs());
  }
  cost.weight_items = static_cast<double>(layer.parameters());
  cost.channels = layer.input_channels;
  cost.filters = layer.output_channels;
  cost.positions = positions(layer.input_extents);
  cost.input_halo_items = haloItems(layer.input_channels, layer.input_extents, layer.kernel);
  cost.output_halo_items = haloItems(layer.output_channels, layer.output_extents, layer.kernel);
  cost.multiply_accumulates = static_cast<double>(layer.macs);
  return cost;
}

}  // namespace

Result<NetworkCost> networkCost(const LayerList& list) {
  if (const auto checked = checkLayers(list); !checked) return checked.error();
  NetworkCost network{.name = list.name, .layers = {}};
  network.layers.reserve(list.layers.size());
  for (const Layer& layer : list.layers)
    network.layers.push_back(costOf(layer));
  return network;
}

NetworkTotals totals(const NetworkCost& network) {
  NetworkTotals sum;
  for (const LayerCost& layer : network.layers) {
    sum.activation_items += layer.input_items + layer.output_items;
    sum.weight_items += layer.weight_items;
    sum.forward_backward_seconds += layer.forward_seconds + layer.backward_seconds;
    sum.update_seconds += layer.update_seconds;
    sum.forward_multiply_accumulates += layer.multiply_accumulates;
  }
  return sum;
}

NetworkCost withSecondsPerSample(NetworkCost network, double seconds_per_sample) {
  constexpr double kPasses = 3;  // forward; input gradient and weight gradient
  SUMAC_CHECK(!network.layers.empty());
  const double all = totals(network).forward_multiply_accumulates;
  const auto count = static_cast<double>(network.layers.size());
  for (LayerCost& layer : network.layers) {
    const double share = all > 0 ? layer.multiply_accumulates / all : 1 / count;
    layer.forward_seconds = seconds_per_sample * share / kPasses;
    layer.backward_seconds = seconds_per_sample * share - layer.forward_seconds;
  }
  return network;
}

}  // namespace sumac::planner
