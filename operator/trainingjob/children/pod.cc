#include <nlohmann/json.hpp>

#include "common/api/template_merge.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/children/pod_defaults.h"
#include "operator/trainingjob/children/pod_owned.h"
#include "operator/trainingjob/children/pod_tools.h"

namespace sumac::trainingjob {

using nlohmann::json;

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
