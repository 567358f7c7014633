#include "planner/balance/hybrid.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "planner/checks/checks.h"

namespace sumac::planner {
namespace {

constexpr double kValueBytes = 4;  // fp32

Error hybridError(const Layer& layer, const std::string& reason) {
  return Error{ErrorCode::kInvalid, "hybrid parallelism of layer " + layer.name + ": " + reason};
}

Result<void> checkHybrid(const Layer& layer, const HybridStep& step) {
  if (auto checked = checkLayers({layer.name, "", {layer}}); !checked) return checked.error();
  if (layer.weights == 0) return hybridError(layer, "it has no weights to exchange");
  if (step.nodes < 1 || step.batch < 1) {
    return hybridError(layer, "found " + std::to_string(step.nodes) +
                                  " nodes and a mini-batch of " + std::to_string(step.batch) +
                                  " points, must be at least 1 each");
  }
  if (!(step.overlap >= 0 && step.overlap <= 1)) {
    return hybridError(
        layer, "found an overlap of " + toString({"", step.overlap, ""}) + ", must be in [0, 1]");
  }
  return {};
}

/// Requires what checkHybrid() checks.
HybridTraffic trafficOf(const Layer& layer, const HybridStep& step, std::int64_t groups) {
  const auto nodes = static_cast<double>(step.nodes);
  const auto count = static_cast<double>(groups);
  const double inputs = static_cast<double>(layer.inputs()) * static_cast<double>(step.batch);
  const double weights = static_cast<double>(layer.weights);
  HybridTraffic traffic;
  if (groups < step.nodes) traffic.model_bytes = 2 * kValueBytes * inputs / count;
  if (groups > 1) traffic.data_bytes = kValueBytes * weights * (2 - step.overlap) * count / nodes;
  if (step.count == TrafficCount::kExact) {
    traffic.model_bytes *= 1 - count / nodes;  // nodes / count members
    traffic.data_bytes *= 1 - 1 / count;
  }
  return traffic;
}

}  // namespace

Result<HybridTraffic> hybridTraffic(const Layer& layer, const HybridStep& step,
                                    std::int64_t groups) {
  if (auto checked = checkHybrid(layer, step); !checked) return checked.error();
  if (groups < 1 || groups > step.nodes) {
    return hybridError(layer, "found " + std::to_string(groups) + " groups, must be 1 to " +
                                  std::to_string(step.nodes) + ", the number of nodes");
  }
  return trafficOf(layer, step, groups);
}

Result<double> continuousBestGroups(const Layer& layer, const HybridStep& step) {
  if (auto checked = checkHybrid(layer, step); !checked) return checked.error();
  const auto nodes = static_cast<double>(step.nodes);
  const double inputs = static_cast<double>(layer.inputs()) * static_cast<double>(step.batch);
  const double weights = static_cast<double>(layer.weights);
  return std::clamp(std::sqrt(2 * nodes * inputs / (weights * (2 - step.overlap))), 1.0, nodes);
}

Result<std::int64_t> bestGroups(const Layer& layer, const HybridStep& step) {
  if (auto checked = checkHybrid(layer, step); !checked) return checked.error();
  std::int64_t best = 1;
  double least = trafficOf(layer, step, 1).bytes();
  const auto compare = [&](std::int64_t groups) {
    const double bytes = trafficOf(layer, step, groups).bytes();
    const bool is_equal = std::abs(bytes - least) <= kRounding * least;
    if (is_equal ? groups > best : bytes > least) return;
    best = groups;
    least = bytes;
  };
  for (std::int64_t divisor = 1; divisor <= step.nodes / divisor; ++divisor) {
    if (step.nodes % divisor != 0) continue;
    compare(divisor);
    compare(step.nodes / divisor);
  }
  return best;
}

Result<bool> isModelParallelBetter(const Layer& layer, const HybridStep& step) {
  if (auto checked = checkHybrid(layer, step); !checked) return checked.error();
  const double inputs = static_cast<double>(layer.inputs()) * static_cast<double>(step.batch);
  return 2 * inputs < static_cast<double>(layer.weights) * (2 - step.overlap);
}

}  // namespace sumac::planner
