#include "job/document/pod_fields.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/document/edit.h"
#include "job/document/job.h"
#include "job/document/nearest.h"

namespace sumac::job {

namespace {

using yaml::Node;
using FieldNames = std::vector<std::string>;

// Of PodSpec in core/v1 of Kubernetes 1.35.
const FieldNames& podSpecFields() {
  static const FieldNames kNames{"activeDeadlineSeconds",
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
const FieldNames& containerFields() {
  static const FieldNames kNames{"args",
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

/// Whether Kubernetes reads `text` as a quantity: "2", "0.5", "500m", "512Mi", "1e9".
bool isQuantity(std::string_view text) {
  constexpr std::array<std::string_view, 16> kSuffixes{
      "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  constexpr std::string_view kDigits = "0123456789";
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const auto digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, digits);
  const bool is_number =
      number.find_first_of(kDigits) != number.npos && std::ranges::count(number, '.') <= 1;
  std::string_view suffix = text.substr(digits);
  if (is_number && std::ranges::count(kSuffixes, suffix) > 0) return true;
  const bool is_exponent = suffix.starts_with('e') || suffix.starts_with('E');
  if (!is_number || !is_exponent) return false;
  suffix.remove_prefix(1);
  if (suffix.starts_with('+') || suffix.starts_with('-')) suffix.remove_prefix(1);
  return !suffix.empty() && suffix.find_first_not_of(kDigits) == suffix.npos;
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
        const std::string at = path + "." + list + "[" + std::to_string(i) + "]";
        look(containers->items[i], at, containerFields(), "a container");
        resources(containers->items[i], at + ".resources");
      }
    }
  }
  std::vector<std::string> take() { return std::move(warnings_); }

 private:
  void resources(const Node& container, const std::string& path) {
    for (const char* const kind : {"requests", "limits"}) {
      const Node* const section = nodeAt(container, std::string("resources.") + kind);
      if (section == nullptr) continue;
      for (const auto& [name, value] : section->fields) {
        if (value.kind != yaml::Kind::kString || isQuantity(value.text)) continue;
        warn(value.position, path + "." + kind + "." + name,
             "found \"" + value.text +
                 "\", which Kubernetes does not read; a quantity is such as 500m or 512Mi");
      }
    }
  }

  void look(const Node& map, const std::string& path, const FieldNames& known, const char* where) {
    for (std::size_t i = 0; i < map.fields.size(); ++i) {
      const std::string& name = map.fields[i].key;
      if (std::ranges::count(known, name) > 0) continue;
      warn(map.field_positions[i], path + "." + name,
           std::string("Kubernetes knows no such field of ") + where + " and drops it" +
               suggestion(name, known));
    }
  }

  void warn(yaml::Position at, const std::string& path, std::string message) {
    warnings_.push_back(
        Problem{std::string(file_), at.line, at.column, path, std::move(message)}.text());
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
