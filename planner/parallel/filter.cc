#include "planner/parallel/filter.h"

#include <span>

namespace sumac::planner {
namespace {

/// Whether a layer works on each channel by itself, on those that the layer before it made.
bool followsChannels(const LayerCost& layer) {
  return layer.weight_items <= 0 || layer.kind == LayerKind::kNormalization;
}

/// What the layers of a network add up to.
struct Divided {
  double forward_backward_seconds = 0;  // a sample, on one member of a group
  double update_seconds = 0;            // an iteration, the same
  double weight_items = 0;              // the same
  double activation_items = 0;          // a sample
  double exchanged_items = 0;           // a sample: |y| of all divided layers but the last layer
  double exchanging_layers = 0;
};

Divided divide(const ParallelCase& question, std::int64_t inner) {
  Divided sum;
  double share = 1;
  const std::span layers(question.network.layers);
  for (const LayerCost& layer : layers) {
    const bool is_divided = isDivided(layer, question.choices.divided_layers);
    if (!followsChannels(layer)) share = is_divided ? static_cast<double>(inner) : 1;
    sum.forward_backward_seconds += (layer.forward_seconds + layer.backward_seconds) / share;
    sum.update_seconds += layer.update_seconds / share;
    sum.weight_items += layer.weight_items / share;
    sum.activation_items += layer.input_items + layer.output_items;
    if (!is_divided || &layer == &layers.back()) continue;
    sum.exchanged_items += layer.output_items;
    ++sum.exchanging_layers;
  }
  return sum;
}

}  // namespace

bool isDivided(const LayerCost& layer, DividedLayers divided) {
  if (followsChannels(layer)) return false;
  return divided == DividedLayers::kAllWeights || layer.kind == LayerKind::kConvolution;
}

Estimate dataFilterParallel(const ParallelCase& question, const Grid& grid) {
  const Training& training = question.training;
  const Contention& phi = question.choices.contention;
  const Divided network = divide(question, grid.inner);
  const auto groups = static_cast<double>(grid.groups);
  const auto inner = static_cast<double>(grid.inner);
  const double samples_of_group = static_cast<double>(training.batch_size) / groups;
  const double iterations = training.iterations();
  const LinkCost inside =
      question.machines.collectiveLink(grid.inner).sharedBy(phi.layer_collectives);
  const LinkCost between =
      question.machines.collectiveLink(grid.members()).sharedBy(phi.gradient_exchange);

  Estimate result;
  result.time[Phase::kForwardBackward] =
      static_cast<double>(training.samples) / groups * network.forward_backward_seconds;
  result.time[Phase::kWeightUpdate] = iterations * network.update_seconds;
  // An all-gather, and an all-reduce that takes as long as two.
  const double exchanged =
      samples_of_group * network.exchanged_items * training.bytes_per_item / inner;
  result.time[Phase::kLayerCollectives] =
      3 * iterations * (inner - 1) *
      (network.exchanging_layers * inside.latency_seconds + exchanged * inside.seconds_per_byte);
  result.time[Phase::kGradientExchange] =
      iterations *
      ringAllreduceSeconds(between, grid.groups, network.weight_items * training.bytes_per_item);
  result.memory_bytes = 2 * training.bytes_per_item * question.choices.memory_reuse *
                        (samples_of_group * network.activation_items + network.weight_items);
  return result;
}

}  // namespace sumac::planner
