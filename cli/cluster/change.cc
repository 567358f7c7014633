#include "cli/cluster/change.h"

#include <ostream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/exit_code.h"
#include "cli/cluster/failure_text.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/inbox.h"
#include "cli/cluster/kept.h"
#include "cli/cluster/object_text.h"

namespace sumac::cli {
namespace {

bool fail(const Console& console, const std::string& message) {
  console.err << "error: " << message << std::endl;
  return false;
}

/// Sends a merge patch; tells what went wrong.
bool patch(const Cluster& cluster, const std::string& name, const std::string& subresource,
           const nlohmann::json& change, const Console& console) {
  const auto reply =
      cluster.client.patch(kube::kTrainingJobs, {cluster.name_space, name}, subresource, change);
  if (!reply.failure) return true;
  return fail(console, inWords(*reply.failure,
                               {.verb = "patch",
                                .subresource = subresource,
                                .name_space = cluster.name_space,
                                .name = name},
                               cluster.server));
}

/// Says what deleting the job's pods costs, where it costs anything.
void warnOfLoss(const api::TrainingJob& job, const std::string& what, const Console& console) {
  const std::string warning = restartWarning(job, what);
  if (!warning.empty()) console.err << "warning: " << warning << std::endl;
}

bool suspendOne(const Cluster& cluster, const std::string& name, bool is_suspended,
                const Console& console) {
  const auto job = fetchJob(cluster, name);
  if (!job) return fail(console, job.error().message);
  if (job->job.status.isFinished()) {
    return fail(console, "the job " + name + " has ended and cannot be " +
                             (is_suspended ? "suspended" : "resumed"));
  }
  const char* const what = is_suspended ? "suspended" : "resumed";
  if (job->job.suspend == is_suspended) {
    console.out << nameText(name) << (is_suspended ? " is already suspended" : " is not suspended")
                << std::endl;
    return true;
  }
  if (is_suspended) warnOfLoss(job->job, "suspending", console);
  if (!patch(cluster, name, "", {{"spec", {{"suspend", is_suspended}}}}, console)) return false;
  console.out << nameText(name) << " " << what << std::endl;
  return true;
}

/// Until the object of this uid is gone.
bool waitForEnd(const Cluster& cluster, const std::string& name, const std::string& uid) {
  Inbox<Change> inbox;
  WatchedList list;
  list.name_space = cluster.name_space;
  list.field_selector = "metadata.name=" + name;
  const auto watch = cluster.watch(list, [&inbox](Change change) { inbox.put(std::move(change)); });
  // It may have gone before the watch began, which then never shows it.
  const auto now = cluster.client.get(kube::kTrainingJobs, {cluster.name_space, name});
  if (now.failure && now.failure->isNotFound()) return true;
  while (const auto change = inbox.take(cluster.stop)) {
    const auto job = readJob(change->object);
    if (!job) continue;
    const bool is_successor = job->job.meta.uid != uid && !change->is_removed;
    if (is_successor || (change->is_removed && job->job.meta.uid == uid)) return true;
  }
  return false;
}

bool removeOne(const Cluster& cluster, const std::string& name, const RemoveOptions& options,
               const Console& console) {
  const auto job = fetchJob(cluster, name);
  if (!job) {
    const bool is_missing = job.error().code == ErrorCode::kNotFound;
    return (is_missing && options.ignore_missing) || fail(console, job.error().message);
  }
  kube::DeleteOptions how;
  how.uid = job->job.meta.uid;
  const auto reply = cluster.client.remove(kube::kTrainingJobs, {cluster.name_space, name}, how);
  if (reply.failure) {
    return fail(console, inWords(*reply.failure,
                                 {.verb = "delete", .name_space = cluster.name_space, .name = name},
                                 cluster.server));
  }
  console.out << nameText(name) << " deleted" << std::endl;
  if (options.wait && !waitForEnd(cluster, name, how.uid)) {
    return fail(console, "interrupted; the deletion continues");
  }
  return true;
}

int codeOf(bool is_done) {
  return toInt(is_done ? ExitCode::kDone : ExitCode::kFailed);
}

}  // namespace

std::string scaleProblem(const api::TrainingJob& job, int workers) {
  const std::string& name = job.meta.key.name;
  if (job.status.isFinished()) return "the job " + name + " has ended";
  if (!job.min_replicas || !job.max_replicas) {
    if (job.suspend || workers == job.worker_replicas) return {};
    return "the job " + name + " has a fixed size of " + std::to_string(job.worker_replicas) +
           " workers: it was created without worker.minReplicas and maxReplicas, which cannot be "
           "added.\nIts size can change while it is suspended: `sumac suspend " +
           name + "`, `sumac scale " + name + " --workers " + std::to_string(workers) +
           "`, `sumac resume " + name + "`. " +
           (keptBy(job).checkpoints ? "Training continues from the newest checkpoint."
                                    : "Training starts again at step 0: no checkpoint outlives "
                                      "the job's pods.");
  }
  if (workers >= *job.min_replicas && workers <= *job.max_replicas) return {};
  return "the job " + name + " allows " + std::to_string(*job.min_replicas) + " to " +
         std::to_string(*job.max_replicas) + " workers (worker.minReplicas and maxReplicas), not " +
         std::to_string(workers);
}

int scale(const Cluster& cluster, const std::string& name, int workers, const Console& console) {
  const auto job = fetchJob(cluster, name);
  if (!job) return codeOf(fail(console, job.error().message));
  if (const std::string problem = scaleProblem(job->job, workers); !problem.empty()) {
    return codeOf(fail(console, problem));
  }
  const bool restarts = workers != job->job.worker_replicas && !changesInPlace(job->job);
  if (restarts) warnOfLoss(job->job, "scaling", console);
  if (!patch(cluster, name, "scale", {{"spec", {{"replicas", workers}}}}, console)) {
    return codeOf(false);
  }
  console.out << nameText(name) << " scaled from " << job->job.worker_replicas << " to " << workers
              << " workers" << std::endl;
  return codeOf(true);
}

int setSuspended(const Cluster& cluster, const std::vector<std::string>& names, bool is_suspended,
                 const Console& console) {
  bool is_done = true;
  for (const std::string& name : names)
    is_done = suspendOne(cluster, name, is_suspended, console) && is_done;
  return codeOf(is_done);
}

int removeJobs(const Cluster& cluster, const RemoveOptions& options, const Console& console) {
  bool is_done = true;
  for (const std::string& name : options.names)
    is_done = removeOne(cluster, name, options, console) && is_done;
  return codeOf(is_done);
}

}  // namespace sumac::cli
