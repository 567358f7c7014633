#include "tests/papers/das/prediction.h"

#include <cstddef>
#include <string>

#include "planner/balance/hybrid.h"
#include "planner/checks/checks.h"

namespace sumac::planner::papers {
namespace {

Result<void> checkCluster(std::int64_t batch, const NodeCluster& cluster) {
  constexpr std::string_view kPrediction = "prediction of scaling";
  auto checked =
      checkPositive(kPrediction, {{"the mini-batch", static_cast<double>(batch), "points"},
                                  {"the nodes", static_cast<double>(cluster.nodes), ""},
                                  {"the speed of a node", cluster.points_per_second, "points/s"},
                                  {"the bandwidth", cluster.link_bytes_per_second, "bytes/s"}});
  if (!checked) return checked;
  return checkNotNegative(kPrediction, {{"the latency", cluster.latency_seconds, "s"}});
}

/// Multiply-accumulates of training one point: the first layer has no input gradient.
double trainingMacs(const LayerList& list) {
  return 3 * static_cast<double>(list.macs()) - static_cast<double>(list.layers.front().macs);
}

/// Adds a layer's exchange to its times. Returns its groups.
Result<std::int64_t> addExchange(const Layer& layer, std::int64_t batch, const NodeCluster& cluster,
                                 Parallelism parallelism, LayerSeconds& seconds) {
  if (layer.weights == 0) return cluster.nodes;
  HybridStep step{cluster.nodes, batch, /*overlap=*/1, TrafficCount::kExact};
  std::int64_t groups = cluster.nodes;
  if (parallelism == Parallelism::kHybrid && layer.kind == LayerKind::kDense) {
    const auto best = bestGroups(layer, step);
    if (!best) return best.error();
    groups = *best;
  }
  step.overlap = 0;
  const auto traffic = hybridTraffic(layer, step, groups);
  if (!traffic) return traffic.error();
  seconds.exchange = traffic->data_bytes / cluster.link_bytes_per_second;
  // Half of it gathers inputs, half of it sums their gradients.
  seconds.forward_exchange = traffic->model_bytes / cluster.link_bytes_per_second / 2;
  seconds.backward_exchange = seconds.forward_exchange;
  return groups;
}

}  // namespace

Result<ScalingPrediction> predictScaling(const LayerList& list, std::int64_t batch,
                                         const NodeCluster& cluster, Parallelism parallelism) {
  if (auto checked = checkLayers(list); !checked) return checked.error();
  if (auto checked = checkCluster(batch, cluster); !checked) return checked.error();
  if (list.macs() == 0) {
    return Error{ErrorCode::kInvalid,
                 "prediction of scaling: network " + list.name + " has no multiply-accumulates"};
  }
  const double alone_seconds = static_cast<double>(batch) / cluster.points_per_second;
  const double seconds_per_mac =
      alone_seconds / trainingMacs(list) / static_cast<double>(cluster.nodes);
  ScalingPrediction prediction;
  std::vector<LayerSeconds> layers(list.layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double forward = seconds_per_mac * static_cast<double>(list.layers[i].macs);
    layers[i].forward = layers[i].weight_gradient = forward;
    layers[i].input_gradient = i == 0 ? 0 : forward;
    const auto groups = addExchange(list.layers[i], batch, cluster, parallelism, layers[i]);
    if (!groups) return groups.error();
    prediction.groups.push_back(*groups);
  }
  auto step = overlapStep(layers, BackwardOrder::kWeightGradientFirst, cluster.latency_seconds);
  if (!step) return step.error();
  prediction.speedup = alone_seconds / step->total;
  prediction.efficiency = prediction.speedup / static_cast<double>(cluster.nodes);
  prediction.step = std::move(*step);
  return prediction;
}

}  // namespace sumac::planner::papers
