#pragma once

#include <string>
#include <string_view>

namespace sumac::kube {

/// A type of objects: where the API server keeps them.
struct Resource {
  std::string_view group_version;  // "v1", "sumac.dev/v1alpha1"
  std::string_view plural;
  std::string_view kind;

  bool operator==(const Resource&) const = default;
};

inline constexpr Resource kTrainingJobs{"sumac.dev/v1alpha1", "trainingjobs", "TrainingJob"};
inline constexpr Resource kPods{"v1", "pods", "Pod"};
inline constexpr Resource kServices{"v1", "services", "Service"};
inline constexpr Resource kConfigMaps{"v1", "configmaps", "ConfigMap"};
inline constexpr Resource kSecrets{"v1", "secrets", "Secret"};
inline constexpr Resource kEvents{"v1", "events", "Event"};
inline constexpr Resource kNodes{"v1", "nodes", "Node"};
inline constexpr Resource kNamespaces{"v1", "namespaces", "Namespace"};
inline constexpr Resource kVolumeClaims{"v1", "persistentvolumeclaims", "PersistentVolumeClaim"};
inline constexpr Resource kNetworkPolicies{"networking.k8s.io/v1", "networkpolicies",
                                           "NetworkPolicy"};
inline constexpr Resource kResourceQuotas{"v1", "resourcequotas", "ResourceQuota"};
inline constexpr Resource kAutoscalers{"autoscaling/v2", "horizontalpodautoscalers",
                                       "HorizontalPodAutoscaler"};
inline constexpr Resource kPodMetrics{"metrics.k8s.io/v1beta1", "pods", "PodMetrics"};
inline constexpr Resource kLeases{"coordination.k8s.io/v1", "leases", "Lease"};

/// "/api/v1/namespaces/ns/pods/name/status"; empty parts are left out, so that an empty namespace
/// means all of them.
std::string pathOf(const Resource& resource, std::string_view name_space,
                   std::string_view name = {}, std::string_view subresource = {});

}  // namespace sumac::kube
