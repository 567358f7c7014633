#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "kube/api/labels.h"
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

json peersOf(const Readers& readers) {
  json peers = json::array();
  if (!readers.operator_namespace.empty()) {
    const json operator_pods{{"app.kubernetes.io/name", "sumac"},
                             {"app.kubernetes.io/component", "operator"}};
    peers.push_back({{"namespaceSelector", inNamespace(readers.operator_namespace)},
                     {"podSelector", {{"matchLabels", operator_pods}}}});
  }
  if (!readers.metrics_namespace.empty())
    peers.push_back({{"namespaceSelector", inNamespace(readers.metrics_namespace)}});
  return peers;
}

json membersOf(const api::TrainingJob& job) {
  return {{"matchLabels", {{api::kJobLabel, job.meta.key.name}}}};
}

/// Lets `peers` reach a port of the members.
json policyOf(const api::TrainingJob& job, const std::string& name, json peers, int port) {
  json rule{{"from", std::move(peers)}, {"ports", ports(port)}};
  return {{"apiVersion", "networking.k8s.io/v1"},
          {"kind", "NetworkPolicy"},
          {"metadata", childMeta(job, name)},
          {"spec",
           {{"podSelector", membersOf(job)},
            {"policyTypes", json::array({"Ingress"})},
            {"ingress", json::array({std::move(rule)})}}}};
}

}  // namespace

json makeNetworkPolicy(const api::TrainingJob& job) {
  const std::string name = childName(job.meta.key.name, job.meta.uid, Child::kNetworkPolicy);
  return policyOf(job, name, json::array({{{"podSelector", membersOf(job)}}}), kDataPort);
}

json makeReadersPolicy(const api::TrainingJob& job, const Readers& readers) {
  SUMAC_CHECK(!readers.areNone());  // an empty `from` would allow everybody
  return policyOf(job, readersName(job.meta.key.name, readers), peersOf(readers), kStatusPort);
}

}  // namespace sumac::trainingjob
