#include <nlohmann/json.hpp>

#include "common/api/labels.h"
#include "operator/trainingjob/children/child_meta.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

using nlohmann::json;

json inNamespace(const std::string& name) {
  return {{"matchLabels", {{"kubernetes.io/metadata.name", name}}}};
}

json ports(int number) {
  return json::array({{{"port", number}, {"protocol", "TCP"}}});
}

/// The peers that may read health, metrics and progress. If the list is empty, the rule must be
/// left out: an empty `from` would allow everybody.
json statusReaders(const Defaults& defaults) {
  json readers = json::array();
  if (!defaults.operator_namespace.empty()) {
    const json operator_pods{{"app.kubernetes.io/name", "sumac"},
                             {"app.kubernetes.io/component", "operator"}};
    readers.push_back({{"namespaceSelector", inNamespace(defaults.operator_namespace)},
                       {"podSelector", {{"matchLabels", operator_pods}}}});
  }
  if (!defaults.metrics_namespace.empty()) {
    readers.push_back({{"namespaceSelector", inNamespace(defaults.metrics_namespace)}});
  }
  return readers;
}

}  // namespace

json makeNetworkPolicy(const api::TrainingJob& job, const JobRecord& record) {
  const std::string& name = job.meta.key.name;
  const json members{{"matchLabels", {{api::kJobLabel, name}}}};
  json ingress = json::array(
      {{{"from", json::array({{{"podSelector", members}}})}, {"ports", ports(kDataPort)}}});
  const json readers = statusReaders(record.defaults);
  if (!readers.empty()) ingress.push_back({{"from", readers}, {"ports", ports(kStatusPort)}});
  return {{"apiVersion", "networking.k8s.io/v1"},
          {"kind", "NetworkPolicy"},
          {"metadata", childMeta(job, childName(name, job.meta.uid, Child::kNetworkPolicy))},
          {"spec",
           {{"podSelector", members},
            {"policyTypes", json::array({"Ingress"})},
            {"ingress", std::move(ingress)}}}};
}

}  // namespace sumac::trainingjob
