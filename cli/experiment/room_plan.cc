#include "cli/experiment/room_plan.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include "kube/api/labels.h"
#include "kube/api/members.h"
#include "kube/api/quota.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* kPodsResource = "pods";

std::string labelOf(const Json& object, const char* label) {
  return api::textOf(api::memberOf(api::memberOf(object, "metadata"), "labels"), label);
}

bool hasEnded(const api::Pod& pod) {
  return pod.phase == api::PodPhase::kSucceeded || pod.phase == api::PodPhase::kFailed;
}

std::optional<double> podsIn(const Json& quota, const char* part) {
  const Json& amounts = api::memberOf(api::memberOf(quota, "status"), part);
  return api::quantityOf(api::textOf(amounts, kPodsResource));
}

}  // namespace

std::string quotaNameOf(const ExperimentMark& mark) {
  return "sumac-experiment-" + mark.folder;
}

nlohmann::json ownedMetadata(const ExperimentMark& mark, const OwningJob& job,
                             const std::string& name) {
  return {{"name", name},
          {"labels", {{kExperimentLabel, mark.experiment}, {kFolderLabel, mark.folder}}},
          {"ownerReferences", Json::array({{{"apiVersion", "sumac.dev/v1alpha1"},
                                            {"kind", "TrainingJob"},
                                            {"name", job.name},
                                            {"uid", job.uid}}})}};
}

nlohmann::json quotaObject(const ExperimentMark& mark, const OwningJob& job, int pods) {
  return {{"apiVersion", "v1"},
          {"kind", "ResourceQuota"},
          {"metadata", ownedMetadata(mark, job, quotaNameOf(mark))},
          {"spec", {{"hard", {{kPodsResource, std::to_string(pods)}}}}}};
}

nlohmann::json quotaChange(const std::string& uid, int pods) {
  return {{"metadata", {{"uid", uid}}},
          {"spec", {{"hard", {{kPodsResource, std::to_string(pods)}}}}}};
}

bool isInForce(const nlohmann::json& quota, int pods) {
  const auto hard = podsIn(quota, "hard");
  return hard && *hard == static_cast<double>(pods) && podsIn(quota, "used").has_value();
}

bool isOf(const ExperimentMark& mark, const nlohmann::json& quota) {
  return labelOf(quota, kFolderLabel) == mark.folder;
}

std::vector<api::Pod> workersAbove(const std::vector<api::Pod>& pods, int room) {
  std::vector<api::Pod> workers;
  std::ranges::copy_if(pods, std::back_inserter(workers), [](const api::Pod& pod) {
    return pod.is_ours && pod.slot.role == Role::kWorker && !pod.meta.deleted && !hasEnded(pod);
  });
  std::ranges::sort(workers, std::ranges::greater(),
                    [](const api::Pod& pod) { return pod.slot.index; });
  const auto above = std::max<std::ptrdiff_t>(std::ssize(workers) - room, 0);
  workers.resize(static_cast<std::size_t>(above));
  return workers;
}

std::vector<FoundQuota> foundQuotas(const std::vector<nlohmann::json>& quotas,
                                    const ExperimentMark& mine,
                                    const std::vector<LivingJob>& jobs) {
  std::vector<FoundQuota> found;
  for (const Json& quota : quotas) {
    const std::string folder = labelOf(quota, kFolderLabel);
    if (folder.empty()) continue;
    const Json& metadata = api::memberOf(quota, "metadata");
    FoundQuota one{api::textOf(metadata, "name"), api::textOf(metadata, "uid"),
                   labelOf(quota, kExperimentLabel), std::nullopt};
    const auto user = std::ranges::find(jobs, folder, &LivingJob::folder);
    if (folder != mine.folder && user != jobs.end()) one.used_by = *user;
    found.push_back(std::move(one));
  }
  return found;
}

std::string usedQuotaText(const FoundQuota& quota, const std::string& name_space) {
  return "the experiment " + quota.experiment + " limits the namespace " + name_space +
         " by its ResourceQuota " + quota.name + ", and its job " + quota.used_by->name +
         " has not ended; wait for that, or where nobody measures that job any more, delete it by "
         "`sumac delete " +
         quota.used_by->name + " -n " + name_space + "` and try again";
}

std::string otherPodsText(const std::vector<api::Pod>& pods,
                          const std::vector<std::string>& our_jobs, const std::string& name_space) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> names;
  for (const api::Pod& pod : pods) {
    const auto job = pod.meta.labels.find(api::kJobLabel);
    const bool is_ours =
        job != pod.meta.labels.end() && std::ranges::find(our_jobs, job->second) != our_jobs.end();
    if (!is_ours && !hasEnded(pod)) names.push_back(pod.meta.key.name);
  }
  if (names.empty()) return {};
  std::ranges::sort(names);
  std::string text = "spec.events has room, which is a ResourceQuota on the namespace " +
                     name_space + ", and other pods there would count, too: ";
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text + ". Name a namespace without pods by --namespace: it is made if it does not exist";
}

}  // namespace sumac::cli
