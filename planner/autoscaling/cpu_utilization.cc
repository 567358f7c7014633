#include "planner/autoscaling/cpu_utilization.h"

#include <algorithm>
#include <cmath>

#include "planner/autoscaling/useful_sizes.h"

namespace sumac::autoscaling {
namespace {

constexpr double kRounding =
    1e-9;  // of ratios of decimals, so that edges count as they are written

/// No more of them than were asked for or added in the last `seconds`.
void forget(std::vector<std::pair<double, int>>& all, double at, double seconds) {
  std::erase_if(all, [oldest = at - seconds](const auto& one) { return one.first <= oldest; });
}

/// At most twice as many or four more than 15 s before.
int mostByCpu(CpuHistory& history, int present, double at) {
  constexpr double kSeconds = 15;
  constexpr int kPods = 4;
  forget(history.added, at, kSeconds);
  int before = present;
  for (const auto& one : history.added)
    before -= one.second;
  return std::max({present, 2 * before, before + kPods});
}

}  // namespace

double cpuUtilization(const CpuRule& rule, const Observation& observed, int parts) {
  constexpr double kAwakeSeconds = 300e-6;
  const double share =
      static_cast<double>(parts) / observed.workers / busiestParts(parts, observed.workers);
  const double computing = share * observed.compute_seconds;  // of the mean worker
  const double awake = std::min(kAwakeSeconds, observed.step_seconds - computing);
  return (rule.threads * computing + awake) / observed.step_seconds / rule.request;
}

int askedByCpu(const CpuRule& rule, const CpuMetrics& metrics) {
  const int pods = metrics.pods();
  if (metrics.measured == 0) return pods;
  const double measured = metrics.measured * metrics.utilization / rule.target;
  const bool is_up = measured > metrics.measured;
  const int counted = metrics.measured + metrics.missing + (is_up ? metrics.not_ready : 0);
  const double needed = measured + (is_up ? 0 : metrics.missing);
  const double off = needed / counted - 1;
  if (std::abs(off) <= rule.tolerance + kRounding || (off > 0) != is_up) return pods;
  const double most = 1e9;
  const int asked = static_cast<int>(std::min(most, std::ceil(needed - kRounding)));
  return is_up ? std::max(asked, pods) : std::min(asked, pods);
}

int recommendedByCpu(const CpuRule& rule, CpuHistory& history, const CpuMetrics& metrics, double at,
                     std::pair<int, int> bounds) {
  const int present = metrics.pods();
  const int asked = askedByCpu(rule, metrics);
  if (history.asked.empty()) history.asked.emplace_back(at, present);
  forget(history.asked, at, rule.down_stabilization_seconds);
  int recommended = asked;
  if (asked < present) {
    for (const auto& one : history.asked)
      recommended = std::max(recommended, std::min(present, one.second));
  }
  history.asked.emplace_back(at, asked);
  recommended = std::clamp(std::min(recommended, mostByCpu(history, present, at)), bounds.first,
                           bounds.second);
  if (recommended > present) history.added.emplace_back(at, recommended - present);
  return recommended;
}

}  // namespace sumac::autoscaling
