#include "operator/trainingjob/children/pod_owned.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/keys/job_keys.h"
#include "base/log/log.h"
#include "base/process/member_flags.h"
#include "kube/api/code_map.h"
#include "kube/api/labels.h"
#include "operator/trainingjob/children/child_meta.h"
#include "operator/trainingjob/children/pod_tools.h"
#include "operator/trainingjob/children/volume_mounts.h"

namespace sumac::trainingjob {
namespace {

using nlohmann::json;

/// Keeps the cluster autoscaler from removing the node of a pod to save cost.
constexpr const char* kSafeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict";

/// Whether a template cannot set the variable of a pod; the threads of a program are the job's.
bool isOwned(const std::string& name, bool is_program) {
  const auto has = [&name](const auto& names) { return std::ranges::count(names, name) > 0; };
  return has(member_flags::kOwnedByOperator) || (is_program && has(member_flags::kThreadVariables));
}

std::string coordinatorAddress(const PodIdentity& pod) {
  const std::string& job = pod.job.meta.key.name;
  return "tcp://" + podName(job, coordinatorOf(pod.record.servers)) + "." +
         childName(job, pod.job.meta.uid, Child::kService) + "." + pod.job.meta.key.name_space +
         ".svc:" + std::to_string(kDataPort);
}

/// The order matters: $(SUMAC_POD_IP) is only expanded after its definition.
std::vector<std::pair<std::string, std::string>> variables(const PodIdentity& pod) {
  std::vector<std::pair<std::string, std::string>> all{
      {member_flags::kJob.variable, std::string(kJobMount) + "/" + kJobEntry},
      {member_flags::kJobUid.variable, pod.job.meta.uid},
      {member_flags::kIndex.variable, std::to_string(pod.slot.index)},
      {member_flags::kAttempt.variable, std::to_string(pod.attempt)},
      {member_flags::kWorkers.variable, std::to_string(pod.workers)},
      {member_flags::kListen.variable, "tcp://$(SUMAC_POD_IP):" + std::to_string(kDataPort)},
      {member_flags::kStatusListen.variable, "$(SUMAC_POD_IP):" + std::to_string(kStatusPort)},
      {member_flags::kTerminationFile.variable, kTerminationFile}};
  if (pod.slot != coordinatorOf(pod.record.servers)) {
    all.emplace_back(member_flags::kCoordinator.variable, coordinatorAddress(pod));
  }
  if (pod.record.changes_members) all.emplace_back(member_flags::kElastic.variable, "true");
  if (pod.record.is_encrypted) all.emplace_back(member_flags::kKeys.variable, kKeysMount);
  if (pod.record.has_token) {
    all.emplace_back(member_flags::kJobTokenFileVariable,
                     std::string(kKeysMount) + "/" + kTokenEntry);
  }
  if (const json program = programOf(pod.record.document, pod.slot.role); program.is_object()) {
    if (hasCode(pod.record)) all.emplace_back(member_flags::kCode.variable, kCodeMount);
    for (const char* const name : member_flags::kThreadVariables)
      all.emplace_back(name, memberOf(program, "threads").dump());
  }
  if (pod.slot.role == Role::kWorker) {
    if (!pod.record.checkpoint_path.empty()) {
      all.emplace_back(member_flags::kCheckpoint.variable,
                       absolutePath(pod.record.checkpoint_path));
    }
    if (!pod.record.output_path.empty()) {
      all.emplace_back(member_flags::kOutput.variable, absolutePath(pod.record.output_path));
      all.emplace_back(member_flags::kJobNamespace.variable, pod.job.meta.key.name_space);
    }
  }
  return all;
}

void ownEnvironment(json& main, const PodIdentity& pod) {
  json env = json::array({{{"name", member_flags::kPodIpVariable},
                           {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}}});
  for (const auto& [name, value] : variables(pod))
    env.push_back({{"name", name}, {"value", value}});
  const bool is_program = programOf(pod.record.document, pod.slot.role).is_object();
  // Log collectors read pods, but a template may choose text.
  bool has_format = false;
  bool has_home = false;
  // Variables of the template come after ours, so that they can refer to ours.
  for (json& variable : listIn(main, "env")) {
    const std::string name = textOf(variable, "name");
    has_format = has_format || name == member_flags::kLogFormat.variable;
    has_home = has_home || name == "HOME";
    if (!isOwned(name, is_program)) env.push_back(std::move(variable));
  }
  // The pods' user has no home folder, and libraries keep files there.
  if (is_program && !has_home) env.push_back({{"name", "HOME"}, {"value", "/tmp"}});
  if (!has_format) {
    env.push_back(
        {{"name", member_flags::kLogFormat.variable}, {"value", toString(LogFormat::kJson)}});
  }
  main["env"] = std::move(env);
}

/// Mounts `volume` at `path` of the main container, replacing another mount at that path.
void mount(json& spec, const std::string& path, json volume, bool read_only,
           const std::string& sub_path = {}) {
  json mounting{{"name", volume["name"]}, {"mountPath", path}};
  if (read_only) mounting["readOnly"] = true;
  if (!sub_path.empty()) mounting["subPath"] = sub_path;
  json& mounts = listIn(mainContainer(spec), "volumeMounts");
  mounts.erase(std::remove_if(mounts.begin(), mounts.end(),
                              [&](const json& other) {
                                return absolutePath(textOf(other, "mountPath")) == path;
                              }),
               mounts.end());
  mounts.push_back(std::move(mounting));
  putItem(listIn(spec, "volumes"), "name", std::move(volume));
}

void ownMounts(json& spec, const PodIdentity& pod) {
  const std::string& job = pod.job.meta.key.name;
  const auto entry = [](const std::string& key, const char* path) {
    return json{{"key", key}, {"path", path}};
  };
  mount(spec, kJobMount,
        {{"name", "sumac-job"},
         {"configMap",
          {{"name", childName(job, pod.job.meta.uid, Child::kConfigMap)},
           {"items", json::array({entry(kJobEntry, kJobEntry)})}}}},
        /*read_only=*/true);
  if (!hasSecret(pod.record)) return;
  constexpr int kGroupMayRead = 0440;
  json items = json::array();
  if (pod.record.has_token) items.push_back(entry(kTokenEntry, kTokenEntry));
  if (pod.record.is_encrypted) {
    // Of the private keys, only that of this pod.
    items.push_back(entry(keyName(pod.slot), "private"));
    items.push_back(entry(kPublicKeysEntry, kPublicKeysEntry));
  }
  mount(spec, kKeysMount,
        {{"name", "sumac-keys"},
         {"secret",
          {{"secretName", secretName(job, pod.job.meta.uid, pod.record)},
           {"defaultMode", kGroupMayRead},
           {"items", std::move(items)}}}},
        /*read_only=*/true);
}

/// The sources of a program lie in the folder that its command runs in.
void ownCode(json& spec, const PodIdentity& pod) {
  if (pod.slot.role != Role::kWorker || !hasCode(pod.record)) return;
  constexpr int kAllMayRunThem = 0555;
  const json files =
      memberOf(memberOf(programOf(pod.record.document, pod.slot.role), "code"), "files");
  json items = json::array();
  for (const json& file : files)
    items.push_back({{"key", api::codeKey(items.size())}, {"path", file}});
  const api::ObjectMeta& job = pod.job.meta;
  mount(spec, kCodeMount,
        {{"name", "sumac-code"},
         {"configMap",
          {{"name", childName(job.key.name, job.uid, Child::kCode)},
           {"defaultMode", kAllMayRunThem},
           {"items", std::move(items)}}}},
        /*read_only=*/true);
  mainContainer(spec)["workingDir"] = kCodeMount;
}

/// Workers write checkpoints and the model, and read the data; servers keep no files.
void ownVolumes(json& spec, const PodIdentity& pod) {
  if (pod.slot.role != Role::kWorker) return;
  for (const VolumeMount& own : volumeMountsOf(*pod.record.document)) {
    if (pod.elsewhere.contains(claimOf(own.source))) continue;
    const json& mounts = listIn(mainContainer(spec), "volumeMounts");
    if (!own.is_given && isMounted(mounts, own.path)) continue;
    json volume = own.source;
    volume["name"] = own.volume_name;
    mount(spec, own.path, std::move(volume), /*read_only=*/false, own.sub_path);
  }
}

/// Whether the pod asks for Spot nodes of GKE.
bool isOnSpot(const json& spec) {
  const json& selector = memberOf(spec, "nodeSelector");
  return textOf(selector, "cloud.google.com/gke-spot") == "true" ||
         textOf(selector, "cloud.google.com/gke-preemptible") == "true";
}

}  // namespace

void ownPodSpec(json& spec, const PodIdentity& pod) {
  const std::string& job = pod.job.meta.key.name;
  spec["hostname"] = podName(job, pod.slot);
  spec["subdomain"] = childName(job, pod.job.meta.uid, Child::kService);
  spec["restartPolicy"] = "Never";
  ownVolumes(spec, pod);
  ownMounts(spec, pod);
  ownCode(spec, pod);
  json& main = mainContainer(spec);
  main["terminationMessagePath"] = kTerminationFile;
  ownEnvironment(main, pod);
}

json podMeta(const json& merged_template, const PodIdentity& pod) {
  const std::string& job = pod.job.meta.key.name;
  json meta = childMeta(pod.job, podName(job, pod.slot));
  const std::string role(toString(pod.slot.role));
  json ours = std::move(meta["labels"]);
  ours["app.kubernetes.io/component"] = role;
  ours[api::kRoleLabel] = role;
  ours[api::kIndexLabel] = std::to_string(pod.slot.index);
  ours[api::kAttemptLabel] = std::to_string(pod.attempt);
  const json& given = memberOf(merged_template, "metadata");
  json labels = memberOf(given, "labels");
  labels.update(ours);
  meta["labels"] = std::move(labels);
  json annotations{{"kubectl.kubernetes.io/default-container", kMainContainer}};
  // Without slot 0 all wait; where members may not change, the eviction of one restarts all. On
  // Spot nodes it cannot be prevented.
  const bool may_go = pod.record.changes_members && pod.slot != coordinatorOf(pod.record.servers);
  if (may_go || !isOnSpot(memberOf(merged_template, "spec")))
    annotations[kSafeToEvict] = may_go ? "true" : "false";
  if (given.contains("annotations")) annotations.update(given["annotations"]);
  annotations[kTemplateHashAnnotation] = pod.job.template_hash;
  meta["annotations"] = std::move(annotations);
  return meta;
}

}  // namespace sumac::trainingjob
