#include "tests/papers/das/overlap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "planner/checks/checks.h"

namespace sumac::planner::papers {
namespace {

Result<void> checkSeconds(std::span<const LayerSeconds> layers, double latency_seconds) {
  constexpr std::string_view kOverlap = "overlap of exchange and computation";
  if (layers.empty()) {
    return Error{ErrorCode::kInvalid, std::string(kOverlap) + ": there is no layer"};
  }
  if (auto checked = checkNotNegative(kOverlap, {{"the latency", latency_seconds, "s"}});
      !checked) {
    return checked;
  }
  double compute = 0;
  double all = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerSeconds& layer = layers[i];
    const auto checked = checkNotNegative(
        "layer " + std::to_string(i),
        {{"its forward pass", layer.forward, "s"},
         {"its weight gradient", layer.weight_gradient, "s"},
         {"its input gradient", layer.input_gradient, "s"},
         {"its exchange", layer.exchange, "s"},
         {"its exchange of activations", layer.forward_exchange, "s"},
         {"its exchange of gradients of activations", layer.backward_exchange, "s"}});
    if (!checked) return checked.error().within(kOverlap);
    compute += layer.forward + layer.weight_gradient + layer.input_gradient;
    all += layer.exchange + layer.forward_exchange + layer.backward_exchange;
  }
  return checkPositive(kOverlap, {{"the computation of all layers", compute, "s"},
                                  {"the sum of all times", compute + all, "s"}});
}

}  // namespace

Result<OverlappedStep> overlapStep(std::span<const LayerSeconds> layers, BackwardOrder order,
                                   double latency_seconds) {
  if (auto checked = checkSeconds(layers, latency_seconds); !checked) return checked.error();
  OverlappedStep step;
  std::vector<double> finish(layers.size(), 0);
  double now = 0;
  double link_free = 0;
  for (std::size_t i = layers.size(); i-- > 0;) {
    const LayerSeconds& layer = layers[i];
    const double gradients = layer.weight_gradient + layer.input_gradient;
    const double post =
        now + (order == BackwardOrder::kWeightGradientFirst ? layer.weight_gradient : gradients);
    if (layer.exchange > 0) {
      link_free = std::max(post, link_free) + layer.exchange + latency_seconds;
      finish[i] = link_free;
    }
    step.compute += gradients;
    step.blocking_exchange += layer.backward_exchange;
    now += gradients + layer.backward_exchange;
  }
  step.bubbles.reserve(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    step.bubbles.push_back(std::max(0.0, finish[i] - now));
    step.compute += layers[i].forward;
    step.blocking_exchange += layers[i].forward_exchange;
    now += step.bubbles.back() + layers[i].forward + layers[i].forward_exchange;
  }
  step.total = now;
  return step;
}

}  // namespace sumac::planner::papers
