#include <nlohmann/json.hpp>

#include "kube/api/template_merge.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/children/pod_defaults.h"
#include "operator/trainingjob/children/pod_owned.h"
#include "operator/trainingjob/children/pod_tools.h"

namespace sumac::trainingjob {

using nlohmann::json;

namespace {

/// The containers of a template; an empty list where it has none.
json* containersOf(json& pod) {
  if (!pod.is_object() || !pod.contains("spec") || !pod["spec"].is_object()) return nullptr;
  const auto found = pod["spec"].find("containers");
  return found == pod["spec"].end() || !found->is_array() ? nullptr : &*found;
}

/// Takes from a container of the defaults each resource that the job's own container names: a
/// request of one and a limit of the other need not fit together.
void dropResources(json& container, const json& own) {
  for (const char* kind : {"requests", "limits"}) {
    const json& given = memberOf(memberOf(own, "resources"), kind);
    if (!given.is_object()) continue;
    for (const auto& resource : given.items()) {
      for (const char* list : {"requests", "limits"}) {
        auto& resources = container["resources"];
        if (resources.contains(list) && resources[list].is_object()) {
          resources[list].erase(resource.key());
        }
      }
    }
  }
}

/// Resources of the job's template replace those of the defaults, request and limit together.
void yieldResources(json& defaults, const json& own) {
  json* const containers = containersOf(defaults);
  const json& owns = memberOf(memberOf(own, "spec"), "containers");
  if (containers == nullptr || !owns.is_array()) return;
  for (const json& each : owns) {
    for (json& container : *containers) {
      const bool has_resources =
          container.is_object() && memberOf(container, "resources").is_object();
      if (has_resources && memberOf(container, "name") == memberOf(each, "name")) {
        dropResources(container, each);
      }
    }
  }
}

}  // namespace

Result<json> mergedTemplate(const std::string& document, const Defaults& defaults, Role role) {
  const bool is_worker = role == Role::kWorker;
  const json common =
      json::parse(is_worker ? defaults.worker_template : defaults.server_template, nullptr,
                  /*allow_exceptions=*/false);
  if (common.is_discarded()) {
    return Error{ErrorCode::kInvalid, "the default template of the " + std::string(toString(role)) +
                                          " role is not valid JSON; check the operator's values"};
  }
  auto merged = api::mergeTemplates(builtInTemplate(), common);
  if (!merged) return merged.error().within("in the operator's default template");
  const json job = json::parse(document, nullptr, /*allow_exceptions=*/false);
  const json& own =
      memberOf(memberOf(memberOf(job, "spec"), is_worker ? "worker" : "server"), "template");
  yieldResources(*merged, own);
  merged = api::mergeTemplates(*merged, own);
  if (!merged) {
    return Error{ErrorCode::kInvalid,
                 "spec." + std::string(toString(role)) + ".template." + merged.error().message};
  }
  if (!memberOf(*merged, "spec").is_object()) {
    return Error{ErrorCode::kInvalid,
                 "spec." + std::string(toString(role)) + ".template.spec: must not be null"};
  }
  return merged;
}

Result<json> makePod(const api::TrainingJob& job, const JobRecord& record, const CreatePod& pod) {
  auto merged = mergedTemplate(job.document, record.defaults, pod.slot.role);
  if (!merged) return merged.error();
  const PodIdentity identity{job, record, pod.slot, pod.attempt, pod.workers};
  json meta = podMeta(*merged, identity);
  json spec = std::move((*merged)["spec"]);
  fillPodSpec(spec, record.defaults, pod.slot.role);
  ownPodSpec(spec, identity);
  return json{{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", std::move(meta)},
              {"spec", std::move(spec)}};
}

}  // namespace sumac::trainingjob
