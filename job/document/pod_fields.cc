#include "job/document/pod_fields.h"

#include <algorithm>
#include <string>
#include <vector>

#include "job/document/edit.h"
#include "job/document/job.h"
#include "job/document/nearest.h"

namespace sumac::job {

namespace {

using yaml::Node;
using Names = std::vector<std::string>;

// Of PodSpec in core/v1 of Kubernetes 1.35.
const Names& podSpecFields() {
  static const Names kNames{"activeDeadlineSeconds",
                            "affinity",
                            "automountServiceAccountToken",
                            "containers",
                            "dnsConfig",
                            "dnsPolicy",
                            "enableServiceLinks",
                            "ephemeralContainers",
                            "hostAliases",
                            "hostIPC",
                            "hostNetwork",
                            "hostPID",
                            "hostUsers",
                            "hostname",
                            "hostnameOverride",
                            "imagePullSecrets",
                            "initContainers",
                            "nodeName",
                            "nodeSelector",
                            "os",
                            "overhead",
                            "preemptionPolicy",
                            "priority",
                            "priorityClassName",
                            "readinessGates",
                            "resourceClaims",
                            "resources",
                            "restartPolicy",
                            "runtimeClassName",
                            "schedulerName",
                            "schedulingGates",
                            "securityContext",
                            "serviceAccount",
                            "serviceAccountName",
                            "setHostnameAsFQDN",
                            "shareProcessNamespace",
                            "subdomain",
                            "terminationGracePeriodSeconds",
                            "tolerations",
                            "topologySpreadConstraints",
                            "volumes",
                            "workloadRef"};
  return kNames;
}

// Of Container in core/v1.
const Names& containerFields() {
  static const Names kNames{"args",
                            "command",
                            "env",
                            "envFrom",
                            "image",
                            "imagePullPolicy",
                            "lifecycle",
                            "livenessProbe",
                            "name",
                            "ports",
                            "readinessProbe",
                            "resizePolicy",
                            "resources",
                            "restartPolicy",
                            "restartPolicyRules",
                            "securityContext",
                            "startupProbe",
                            "stdin",
                            "stdinOnce",
                            "terminationMessagePath",
                            "terminationMessagePolicy",
                            "tty",
                            "volumeDevices",
                            "volumeMounts",
                            "workingDir"};
  return kNames;
}

/// Looks through the templates and collects warnings.
class PodFields {
 public:
  explicit PodFields(std::string_view file) : file_(file) {}

  void podSpec(const Node& spec, const std::string& path) {
    look(spec, path, podSpecFields(), "a pod's spec");
    for (const char* const list : {"containers", "initContainers"}) {
      const Node* const containers = spec.find(list);
      if (containers == nullptr) continue;
      for (std::size_t i = 0; i < containers->items.size(); ++i) {
        look(containers->items[i], path + "." + list + "[" + std::to_string(i) + "]",
             containerFields(), "a container");
      }
    }
  }
  std::vector<std::string> take() { return std::move(warnings_); }

 private:
  void look(const Node& map, const std::string& path, const Names& known, const char* where) {
    for (std::size_t i = 0; i < map.fields.size(); ++i) {
      const std::string& name = map.fields[i].key;
      if (std::ranges::count(known, name) > 0) continue;
      const yaml::Position at = map.field_positions[i];
      const Problem problem{.file = std::string(file_),
                            .line = at.line,
                            .column = at.column,
                            .path = path + "." + name,
                            .message = std::string("Kubernetes knows no such field of ") + where +
                                       " and drops it" + suggestion(name, known)};
      warnings_.push_back(problem.text());
    }
  }

  std::string_view file_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::string> podFieldWarnings(const Node& root, std::string_view file) {
  PodFields fields(file);
  for (const char* const role : {"spec.worker", "spec.server"}) {
    const std::string path = std::string(role) + ".template.spec";
    if (const Node* const spec = nodeAt(root, path)) fields.podSpec(*spec, path);
  }
  return fields.take();
}

}  // namespace sumac::job
