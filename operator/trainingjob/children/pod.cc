#include <algorithm>

#include <nlohmann/json.hpp>

#include "kube/api/template_merge.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/children/pod_owned.h"
#include "operator/trainingjob/children/pod_tools.h"
#include "operator/trainingjob/children/volume_mounts.h"

namespace sumac::trainingjob {
namespace {

using nlohmann::json;

constexpr int kUser = 65532;          // "nonroot" of distroless images
constexpr int kGraceSeconds = 30;     // members are gone within 15 s of SIGTERM
constexpr int kLostNodeSeconds = 30;  // how long a pod stays bound to a node that is not ready
constexpr int kProbeSeconds = 5;
// Of a container that could not write its termination message: the end of its log.
constexpr const char* kTerminationPolicy = "FallbackToLogsOnError";

// Requests of containers that have none; tests/chart compares them with the chart's. GKE Autopilot
// accepts them as they are: at least 250m of CPU and 512Mi, 1 to 6.5 GiB of memory a CPU, 10Mi to
// 10Gi of ephemeral storage. They are what the small networks of the zoo need; `sumac validate`
// prints the memory of a job's workers.
struct Requests {
  const char* cpu;
  const char* memory;
  const char* ephemeral_storage;
};
constexpr Requests kWorkerRequests{"500m", "1Gi", "1Gi"};
constexpr Requests kServerRequests{"250m", "512Mi", "1Gi"};

void fillPorts(json& container) {
  json& ports = listIn(container, "ports");
  const auto add = [&](const char* name, int number) {
    const bool is_there = std::any_of(ports.begin(), ports.end(), [number](const json& port) {
      return memberOf(port, "containerPort") == number;
    });
    if (!is_there) {
      ports.push_back({{"name", name}, {"containerPort", number}, {"protocol", "TCP"}});
    }
  };
  add("sumac-data", kDataPort);
  add("sumac-status", kStatusPort);
}

/// Kubernetes' default is 300 s each. Not in the built-in template: lists of tolerations do not
/// merge, so a template with another toleration would lose these.
void fillTolerations(json& spec) {
  json& tolerations = listIn(spec, "tolerations");
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const bool is_there =
        std::any_of(tolerations.begin(), tolerations.end(), [key](const json& toleration) {
          const std::string effect = textOf(toleration, "effect");
          const std::string tolerated = textOf(toleration, "key");
          return (effect.empty() || effect == "NoExecute") &&
                 (tolerated == key || tolerated.empty());
        });
    if (is_there) continue;
    tolerations.push_back({{"key", key},
                           {"operator", "Exists"},
                           {"effect", "NoExecute"},
                           {"tolerationSeconds", kLostNodeSeconds}});
  }
}

/// Without requests a pod is the first to be evicted, and refused where a quota counts requests.
/// Not in the built-in template: a request above the limit of a job's template is invalid, and a
/// limit alone is a request too.
void fillRequests(json& container, const Requests& requests) {
  json& resources = container["resources"];
  const auto fill = [&resources](const char* resource, const char* quantity) {
    if (memberOf(memberOf(resources, "limits"), resource).is_null() &&
        memberOf(memberOf(resources, "requests"), resource).is_null()) {
      resources["requests"][resource] = quantity;
    }
  };
  fill("cpu", requests.cpu);
  fill("memory", requests.memory);
  fill("ephemeral-storage", requests.ephemeral_storage);
}

/// The job's status says why an init container failed, too, unless its template says otherwise.
void fillTerminationPolicy(json& spec) {
  const auto containers = spec.find("initContainers");
  if (containers == spec.end() || !containers->is_array()) return;
  for (json& container : *containers) {
    if (container.is_object() && !container.contains("terminationMessagePolicy"))
      container["terminationMessagePolicy"] = kTerminationPolicy;
  }
}

/// The root file system is read-only, and libraries need a folder for temporary files.
void fillTemporaryFolder(json& spec) {
  json& container = mainContainer(spec);
  if (isMounted(listIn(container, "volumeMounts"), "/tmp")) return;
  container["volumeMounts"].push_back({{"name", "sumac-tmp"}, {"mountPath", "/tmp"}});
  putItem(listIn(spec, "volumes"), "name", {{"name", "sumac-tmp"}, {"emptyDir", json::object()}});
}

/// The template that all others override.
json builtInTemplate(bool is_ours) {
  json main{{"name", kMainContainer},
            {"terminationMessagePolicy", kTerminationPolicy},
            {"securityContext",
             {{"allowPrivilegeEscalation", false},
              {"readOnlyRootFilesystem", true},
              {"capabilities", {{"drop", json::array({"ALL"})}}}}}};
  // For our programs relative paths mean what a relative mount path means; a user's image sets its
  // own working directory.
  if (is_ours) main["workingDir"] = "/";
  return {{"spec",
           {{"automountServiceAccountToken", false},
            {"enableServiceLinks", false},
            {"terminationGracePeriodSeconds", kGraceSeconds},
            // The group makes volumes writable, and keys readable to the members alone.
            {"securityContext",
             {{"runAsNonRoot", true},
              {"runAsUser", kUser},
              {"runAsGroup", kUser},
              {"fsGroup", kUser},
              {"fsGroupChangePolicy", "OnRootMismatch"},
              {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
            {"containers", json::array({main})}}}};
}

/// Fills in fields that are still missing from the merged PodSpec and that depend on its other
/// fields, so they cannot be in the built-in template: image, command, ports, readiness probe,
/// tolerations, requests, /tmp.
void fillPodSpec(json& spec, const Defaults& defaults, Role role, const json& program) {
  const bool is_worker = role == Role::kWorker;
  json& main = mainContainer(spec);
  if (!main.contains("image")) {
    main["image"] = is_worker ? defaults.worker_image : defaults.server_image;
    if (!defaults.image_pull_policy.empty() && !main.contains("imagePullPolicy")) {
      main["imagePullPolicy"] = defaults.image_pull_policy;
    }
  }
  if (!main.contains("command")) {
    main["command"] = program.is_object()
                          ? memberOf(program, "command")
                          : json::array({is_worker ? "sumac-worker" : "sumac-server"});
  }
  if (!main.contains("readinessProbe")) {
    main["readinessProbe"] = {{"httpGet", {{"path", "/readyz"}, {"port", kStatusPort}}},
                              {"periodSeconds", kProbeSeconds}};
  }
  fillPorts(main);
  fillRequests(main, is_worker ? kWorkerRequests : kServerRequests);
  fillTolerations(spec);
  fillTerminationPolicy(spec);
  fillTemporaryFolder(spec);
}

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

Result<json> mergedTemplate(const JsonTree& document, const Defaults& defaults, Role role) {
  const bool is_worker = role == Role::kWorker;
  const bool is_ours = programOf(document, role).is_null();
  auto merged = api::mergeTemplates(
      builtInTemplate(is_ours), is_worker ? *defaults.worker_template : *defaults.server_template);
  if (!merged) return merged.error().within("in the operator's default template");
  const json own =
      memberOf(memberOf(memberOf(*document, "spec"), is_worker ? "worker" : "server"), "template");
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
  const PodIdentity identity{job, record, pod.slot, pod.attempt, pod.workers, pod.elsewhere};
  json meta = podMeta(*merged, identity);
  json spec = std::move((*merged)["spec"]);
  fillPodSpec(spec, record.defaults, pod.slot.role, programOf(record.document, pod.slot.role));
  ownPodSpec(spec, identity);
  return json{{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", std::move(meta)},
              {"spec", std::move(spec)}};
}

}  // namespace sumac::trainingjob
