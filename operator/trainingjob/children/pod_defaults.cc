#include "operator/trainingjob/children/pod_defaults.h"

#include <algorithm>

#include <nlohmann/json.hpp>

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

}  // namespace

json builtInTemplate() {
  const json main{{"name", kMainContainer},
                  {"workingDir", "/"},  // relative paths mean what a relative mount path means
                  {"terminationMessagePolicy", kTerminationPolicy},
                  {"securityContext",
                   {{"allowPrivilegeEscalation", false},
                    {"readOnlyRootFilesystem", true},
                    {"capabilities", {{"drop", json::array({"ALL"})}}}}}};
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

void fillPodSpec(json& spec, const Defaults& defaults, Role role) {
  const bool is_worker = role == Role::kWorker;
  json& main = mainContainer(spec);
  if (!main.contains("image")) {
    main["image"] = is_worker ? defaults.worker_image : defaults.server_image;
    if (!defaults.image_pull_policy.empty() && !main.contains("imagePullPolicy")) {
      main["imagePullPolicy"] = defaults.image_pull_policy;
    }
  }
  if (!main.contains("command")) {
    main["command"] = json::array({is_worker ? "sumac-worker" : "sumac-server"});
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

}  // namespace sumac::trainingjob
