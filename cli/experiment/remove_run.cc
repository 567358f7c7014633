#include "cli/experiment/remove_run.h"

#include <chrono>

#include "kube/api/json.h"
#include "kube/client/backoff.h"

namespace sumac::cli {
namespace {

constexpr std::chrono::seconds kLongestRemoval{60};
constexpr std::chrono::milliseconds kBetweenLooks{200};

bool isGone(const Cluster& cluster, const std::string& name, const std::string& uid) {
  const auto there = cluster.client.get(kube::kTrainingJobs, {cluster.name_space, name});
  if (!there) return there.failure->isNotFound();
  const auto meta = api::metaFromJson(*there.object);
  return meta && meta->uid != uid;
}

}  // namespace

std::string removeRun(const Cluster& cluster, const std::string& name, const std::string& uid) {
  const TimePoint until = cluster.clock.now() + kLongestRemoval;
  const std::string ours = "the job " + cluster.name_space + "/" + name;
  kube::DeleteOptions how;
  how.uid = uid;
  how.propagation = "Foreground";  // gone only when its pods are
  std::string problem;
  for (bool is_asked = false; cluster.clock.now() < until;
       kube::sleepFor(kBetweenLooks, cluster.stop)) {
    if (!is_asked) {
      const auto reply =
          cluster.client.remove(kube::kTrainingJobs, {cluster.name_space, name}, how);
      is_asked = !reply.failure || reply.failure->isConflict();
      if (reply.failure) problem = reply.failure->message;
      if (reply.failure && !is_asked && !reply.failure->isTransient()) break;
    }
    if (is_asked && isGone(cluster, name, uid)) return {};
  }
  return ours + " is still there" + (problem.empty() ? "" : ": " + problem) + "; `sumac delete " +
         name + " -n " + cluster.name_space + "` deletes it";
}

}  // namespace sumac::cli
