#include "planner/parallel/spatial.h"

#include <span>

#include "planner/parallel/data_parallel.h"

namespace sumac::planner {
namespace {

/// Seconds an iteration for the borders of one layer's input and output gradient.
double haloSeconds(const LayerCost& layer, const LinkCost& link, double bytes_per_item_of_group) {
  const double items = layer.input_halo_items + layer.output_halo_items;
  if (items <= 0) return 0;
  return 2 * (2 * link.latency_seconds + items * bytes_per_item_of_group * link.seconds_per_byte);
}

}  // namespace

Estimate dataSpatialParallel(const ParallelCase& question, const Grid& grid) {
  const Training& training = question.training;
  const Contention& phi = question.choices.contention;
  const std::span layers(question.network.layers);
  const std::size_t divided = question.spatialLayers();
  const auto inner = static_cast<double>(grid.inner);
  const double samples_of_group =
      static_cast<double>(training.batch_size) / static_cast<double>(grid.groups);
  const double epoch_of_group =
      static_cast<double>(training.samples) / static_cast<double>(grid.groups);
  const double group_bytes = samples_of_group * training.bytes_per_item;
  const LinkCost halo_link = question.machines.messageLink(grid.inner).sharedBy(phi.halo_exchange);

  Estimate result;
  double items = 0;
  double weights = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerCost& layer = layers[i];
    const double share = i < divided ? inner : 1;
    result.time[Phase::kForwardBackward] +=
        epoch_of_group / share * (layer.forward_seconds + layer.backward_seconds);
    result.time[Phase::kWeightUpdate] += training.iterations() * layer.update_seconds;
    if (i < divided && grid.inner > 1)
      result.time[Phase::kHaloExchange] +=
          training.iterations() * haloSeconds(layer, halo_link, group_bytes);
    items += samples_of_group / share * (layer.input_items + layer.output_items);
    weights += layer.weight_items;
  }
  if (divided > 0 && divided < layers.size()) {
    const LinkCost link = question.machines.collectiveLink(grid.inner).sharedBy(phi.split_gather);
    result.time[Phase::kSplitGather] =
        training.iterations() *
        ringAllgatherSeconds(link, grid.inner,
                             group_bytes * layers[divided - 1].output_items / inner);
  }
  result.time[Phase::kGradientExchange] =
      gradientExchangeSeconds(question, grid.members(), weights);
  result.memory_bytes =
      2 * training.bytes_per_item * question.choices.memory_reuse * (items + weights);
  return result;
}

}  // namespace sumac::planner
