#include "planner/autoscaling/cpu_utilization.h"

#include <algorithm>
#include <cmath>

#include "planner/autoscaling/useful_sizes.h"

namespace sumac::autoscaling {

double cpuUtilization(const CpuRule& rule, const Observation& observed, int parts) {
  constexpr double kAwakeSeconds = 300e-6;
  const double share =
      static_cast<double>(parts) / observed.workers / busiestParts(parts, observed.workers);
  const double computing = share * observed.compute_seconds;  // of the mean worker
  const double awake = std::min(kAwakeSeconds, observed.step_seconds - computing);
  return (rule.threads * computing + awake) / observed.step_seconds / rule.request;
}

int recommendedByCpu(const CpuRule& rule, CpuHistory& history, const Observation& observed,
                     int parts, std::pair<int, int> bounds) {
  constexpr int kPodsAtOnce = 4;
  const int present = observed.workers;
  const double ratio = cpuUtilization(rule, observed, parts) / rule.target;
  const bool is_near = std::abs(ratio - 1) <= rule.tolerance;
  const double most = std::max(2 * present, present + kPodsAtOnce);
  const double asked = is_near ? present : std::ceil(std::min(most, present * ratio));
  const int recommended = std::clamp(static_cast<int>(asked), bounds.first, bounds.second);
  const double oldest = observed.at - rule.down_stabilization_seconds;
  std::erase_if(history.recommended, [oldest](const auto& one) { return one.first < oldest; });
  history.recommended.emplace_back(observed.at, recommended);
  if (recommended >= present) return recommended;
  const auto highest =
      std::ranges::max_element(history.recommended, {}, &std::pair<double, int>::second);
  return std::min(present, highest->second);
}

}  // namespace sumac::autoscaling
