#include "cli/experiment/hpa_object.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "cli/cluster/failure_text.h"

namespace sumac::cli {

nlohmann::json autoscalerObject(const ExperimentMark& mark, const OwningJob& job,
                                const experiment::Cell& cell) {
  SUMAC_CHECK(cell.conditions.hpa.has_value(), cell.number);
  constexpr int kPercent = 100;
  const auto& hpa = *cell.conditions.hpa;
  const auto [least, most] = workersOf(cell);
  const nlohmann::json target{{"type", "Utilization"},
                              {"averageUtilization", std::lround(kPercent * hpa.target)}};
  const nlohmann::json metric{{"type", "Resource"},
                              {"resource", {{"name", "cpu"}, {"target", target}}}};
  return {{"apiVersion", "autoscaling/v2"},
          {"kind", "HorizontalPodAutoscaler"},
          {"metadata", ownedMetadata(mark, job, job.name)},
          {"spec",
           {{"scaleTargetRef",
             {{"apiVersion", "sumac.dev/v1alpha1"}, {"kind", "TrainingJob"}, {"name", job.name}}},
            {"minReplicas", least},
            {"maxReplicas", most},
            {"metrics", nlohmann::json::array({metric})},
            {"behavior",
             {{"scaleDown",
               {{"stabilizationWindowSeconds", std::lround(hpa.down_stabilization_seconds)}}}}}}}};
}

Result<bool> hasPodMetrics(const Cluster& cluster) {
  const auto end = cluster.client.list(
      kube::kPodMetrics, cluster.name_space, {}, [](const nlohmann::json&) {}, [] {});
  if (!end.failure) return true;
  // Not installed; or installed, and not running.
  constexpr int kNotServed = 503;
  if (end.failure->isNotFound() || end.failure->status == kNotServed) return false;
  return Error{
      ErrorCode::kUnavailable,
      inWords(*end.failure,
              {.verb = "list", .resource = kube::kPodMetrics, .name_space = cluster.name_space},
              cluster.server)};
}

}  // namespace sumac::cli
