#include "cli/experiment/run_namespace.h"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/cluster/failure_text.h"
#include "cli/cluster/fetch.h"
#include "cli/experiment/experiment_quota.h"
#include "cli/experiment/room_plan.h"
#include "kube/api/json.h"

namespace sumac::cli {
namespace {

Error refusedBy(const Cluster& cluster, const kube::Failure& failure, const char* verb,
                const kube::Resource& resource) {
  return {ErrorCode::kUnavailable,
          inWords(failure, {.verb = verb, .resource = resource, .name_space = cluster.name_space},
                  cluster.server)};
}

/// Without the right to read namespaces, a missing one shows later.
Result<void> makeWhereMissing(const Cluster& cluster, std::ostream& err) {
  const auto there = cluster.client.get(kube::kNamespaces, {"", cluster.name_space});
  if (there || there.failure->isForbidden()) return {};
  if (!there.failure->isNotFound())
    return refusedBy(cluster, *there.failure, "get", kube::kNamespaces);
  const auto made = cluster.client.create(
      kube::kNamespaces, "",
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", cluster.name_space}}}});
  if (!made && !made.failure->alreadyExists())
    return refusedBy(cluster, *made.failure, "create", kube::kNamespaces);
  if (made) err << "made the namespace " << cluster.name_space << ", which stays" << std::endl;
  return {};
}

}  // namespace

Result<void> checkOtherPods(const Cluster& cluster, const ExperimentMark& mark) {
  const auto jobs =
      fetchJobs(cluster, cluster.name_space, std::string(kFolderLabel) + "=" + mark.folder);
  if (!jobs) return jobs.error();
  std::vector<std::string> ours;
  for (const FetchedJob& job : *jobs)
    ours.push_back(job.job.meta.key.name);
  std::vector<api::Pod> pods;
  const auto end = cluster.client.list(
      kube::kPods, cluster.name_space, {},
      [&pods](const nlohmann::json& object) {
        if (auto pod = api::podFromJson(object)) pods.push_back(*std::move(pod));
      },
      [&pods] { pods.clear(); });
  if (end.failure) return refusedBy(cluster, *end.failure, "list", kube::kPods);
  std::string others = otherPodsText(pods, ours, cluster.name_space);
  if (others.empty()) return {};
  return Error{ErrorCode::kConflict, std::move(others)};
}

Result<void> prepareNamespace(const Cluster& cluster, const ExperimentMark& mark, bool limits_room,
                              std::ostream& err) {
  if (limits_room && cluster.has_namespace_option) {
    if (const auto made = makeWhereMissing(cluster, err); !made) return made.error();
  }
  if (const auto removed = removeLeftQuotas(cluster, mark, limits_room, err); !removed)
    return removed.error();
  return limits_room ? checkOtherPods(cluster, mark) : Result<void>();
}

}  // namespace sumac::cli
