#include "operator/trainingjob/state/names.h"

#include "base/core/bytes.h"
#include "base/core/check.h"
#include "base/core/sha256.h"
#include "kube/api/code_map.h"
#include "kube/api/labels.h"

namespace sumac::trainingjob {

std::string memberName(Slot slot) {
  return std::string(toString(slot.role)) + "-" + std::to_string(slot.index);
}

std::string podName(const std::string& job, Slot slot) {
  return job + "-" + memberName(slot);
}

std::string childName(const std::string& job, const std::string& uid, Child child) {
  constexpr std::size_t kUidDigits = 8;
  if (child == Child::kReaders) return job + "-readers";
  if (child == Child::kCode) return api::codeMapName(job, uid);
  return child == Child::kSecret ? job + "-keys-" + uid.substr(0, kUidDigits) : job;
}

std::string readersName(const std::string& job, const Readers& readers) {
  constexpr std::size_t kHashDigits = 10;
  // Names of namespaces have no line ends.
  const std::string text = readers.operator_namespace + "\n" + readers.metrics_namespace;
  return childName(job, {}, Child::kReaders) + "-" +
         sha256Hex(asBytes(text)).substr(0, kHashDigits);
}

std::string memberSelector(const std::string& job) {
  return std::string(api::kJobLabel) + "=" + job;
}

std::string workerSelector(const std::string& job) {
  return memberSelector(job) + "," + api::kRoleLabel + "=worker";
}

const kube::Resource& resourceOf(Child child) {
  switch (child) {
    case Child::kService: return kube::kServices;
    case Child::kCode:
    case Child::kConfigMap: return kube::kConfigMaps;
    case Child::kSecret: return kube::kSecrets;
    case Child::kNetworkPolicy:
    case Child::kReaders: return kube::kNetworkPolicies;
  }
  failCheck("a known child", "");
}

std::string kindAndName(const kube::Resource& resource, const std::string& name) {
  std::string kind(resource.kind);
  if (resource == kube::kPods) kind = "pod";
  return kind + " " + name;
}

std::string kindAndName(const api::TrainingJob& job, Child child) {
  return kindAndName(resourceOf(child), childName(job.meta.key.name, job.meta.uid, child));
}

}  // namespace sumac::trainingjob
