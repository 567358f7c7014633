#include "cli/experiment/cluster_run.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>
#include <vector>

#include "cli/cluster/failure_text.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/inbox.h"
#include "cli/cluster/log_choice.h"
#include "cli/cluster/story.h"
#include "cli/experiment/cell_object.h"
#include "common/api/json.h"
#include "common/base/file.h"
#include "common/kube/backoff.h"

namespace sumac::cli {
namespace {

constexpr std::chrono::milliseconds kFirstPause{100};  // between tries; twice as long each time
constexpr std::chrono::seconds kLongestPause{5};
constexpr std::chrono::seconds kLookAfter{30};  // without news, ask whether the job is there
constexpr std::chrono::seconds kLongestRemoval{60};
constexpr std::chrono::seconds kLogTimeout{60};
constexpr int kMostTries = 18;  // about a minute without a cluster

/// One run under way. Used by its own thread alone.
class RunInCluster {
 public:
  RunInCluster(const Cluster& cluster, const ClusterRun& run, const std::stop_token& stop)
      : cluster_(cluster),
        run_(run),
        stop_(stop),
        name_(run.object.at("metadata").at("name").get<std::string>()) {}

  ClusterRunEnd run() {
    if (const auto created = create(); !created) return {failed(created.error().message), ""};
    auto outcome = follow();
    std::string note = removeRun(cluster_, name_, uid_);
    const auto* const failure = std::get_if<RunFailure>(&outcome);
    const bool is_stopped = failure != nullptr && failure->stop_signal != 0;
    if (note.empty() && is_stopped) note = "deleted the job " + key().text();
    return {std::move(outcome), std::move(note)};
  }

 private:
  api::ObjectKey key() const { return {cluster_.name_space, name_}; }
  RunOutcome failed(std::string cause) const {
    if (stop_.stop_requested()) return RunFailure{std::move(cause), SIGINT};
    return RunFailure{std::move(cause)};
  }
  /// False: a stop was asked for.
  bool pause() {
    return kube::sleepFor(kube::doubled(kFirstPause, kLongestPause, pauses_++), stop_);
  }

  Result<void> create();
  Result<bool> takeOver();
  RunOutcome follow();
  RunOutcome explain(const api::TrainingJob& job);
  RunOutcome measure();
  Result<std::string> logOf(const std::string& pod) const;
  void keepLogs(const std::vector<api::Pod>& pods) const;

  const Cluster& cluster_;       // outlives us
  const ClusterRun& run_;        // outlives us
  const std::stop_token& stop_;  // outlives us
  const std::string name_;
  std::string uid_;
  int pauses_ = 0;
};

/// Until the job is there. A cluster that does not answer is asked again: the job may be there
/// already. Then it is also ours to delete.
Result<void> RunInCluster::create() {
  bool may_exist = false;
  while (!stop_.stop_requested()) {
    const auto made = cluster_.client.create(kube::kTrainingJobs, cluster_.name_space, run_.object);
    if (made) {
      const auto job = readJob(made.object);
      if (!job) return job.error();
      uid_ = job->job.meta.uid;
      return {};
    }
    if (made.failure->alreadyExists()) {
      const auto taken = takeOver();
      if (!taken) return taken.error();
      if (*taken) return {};
    } else if (!made.failure->isTransient()) {
      return Error{ErrorCode::kInvalid,
                   inWords(*made.failure, {.verb = "create", .name_space = cluster_.name_space},
                           cluster_.server)};
    }
    may_exist = may_exist || (made.failure->status == 0 && !made.failure->is_unsent);
    pause();
  }
  if (may_exist) {
    if (const auto taken = takeOver(); taken && *taken) return {};
  }
  return Error{ErrorCode::kUnavailable, "stopped"};
}

/// Whether the job of our name is ours to follow; not yet if it is on its way out.
Result<bool> RunInCluster::takeOver() {
  const auto there = cluster_.client.get(kube::kTrainingJobs, key());
  if (!there) return false;
  const auto job = readJob(there.object);
  if (!job) return job.error();
  const auto& labels = run_.object.at("metadata").at("labels");
  const auto mark = job->job.meta.labels.find(kFolderLabel);
  if (mark == job->job.meta.labels.end() || mark->second != labels.at(kFolderLabel)) {
    return Error{ErrorCode::kConflict, "there is a job " + key().text() +
                                           " that is not of this experiment; delete it first"};
  }
  if (job->job.meta.deleted) return false;
  uid_ = job->job.meta.uid;
  return true;
}

RunOutcome RunInCluster::follow() {
  Inbox<Change> inbox;
  WatchedList list;
  list.name_space = cluster_.name_space;
  list.field_selector = "metadata.name=" + name_;
  const auto watch =
      cluster_.watch(list, [&inbox](Change change) { inbox.put(std::move(change)); });
  const std::string gone = "the job " + key().text() + " was deleted before it had ended";
  while (!stop_.stop_requested()) {
    const auto change = inbox.take(stop_, cluster_.clock.now() + kLookAfter);
    if (!change) {
      const auto there = cluster_.client.get(kube::kTrainingJobs, key());
      if (!there && there.failure->isNotFound()) return failed(gone);
      continue;
    }
    const auto fetched = readJob(change->object);
    if (!fetched || fetched->job.meta.uid != uid_) continue;
    if (const auto end = endOf(fetched->job.status))
      return *end == ExitCode::kDone ? measure() : explain(fetched->job);
    if (change->is_removed) return failed(gone);
  }
  return failed("");
}

RunOutcome RunInCluster::explain(const api::TrainingJob& job) {
  const api::Condition* const condition = job.status.find("Failed");
  std::string cause = condition == nullptr ? "the job failed" : condition->message;
  if (const auto& last = job.status.last_failure; last && !last->message.empty())
    cause += "\n    " + last->pod_name + ": " + last->message;
  if (const auto pods = fetchPods(cluster_, name_)) keepLogs(*pods);
  return failed(cause);
}

RunOutcome RunInCluster::measure() {
  std::optional<Error> problem;
  for (int i = 0; i < kMostTries && (i == 0 || pause()); ++i) {
    const auto pods = fetchPods(cluster_, name_);
    const auto log = pods ? logOf(name_ + (run_.has_servers ? "-server-0" : "-worker-0"))
                          : Result<std::string>(pods.error());
    if (!log) {
      problem = log.error();
      continue;
    }
    auto figures = experiment::figuresOf(*log, run_.warmup_steps);
    if (!figures) return failed(figures.error().message);
    for (const api::Pod& pod : *pods)
      figures->nodes[memberName(pod.slot)] = pod.node;
    return *std::move(figures);
  }
  return failed(problem ? problem->message : "");
}

Result<std::string> RunInCluster::logOf(const std::string& pod) const {
  const api::ObjectKey pod_key{cluster_.name_space, pod};
  const auto response = cluster_.transport.send(
      logRequest({}, pod_key, /*follow=*/false, /*has_times=*/false, /*since=*/""), kLogTimeout,
      cluster_.stop);
  if (response.status == 200) return response.body;
  const auto failure = kube::failureOf("get the log of " + pod_key.text(), response);
  return Error{ErrorCode::kUnavailable, failure.message};
}

/// As many as can be had: they only help people.
void RunInCluster::keepLogs(const std::vector<api::Pod>& pods) const {
  std::error_code ignored;
  std::filesystem::create_directories(run_.folder, ignored);
  for (const api::Pod& pod : pods) {
    if (const auto log = logOf(pod.meta.key.name))
      (void)replaceFile(run_.folder / (memberName(pod.slot) + ".log"), asBytes(*log));
  }
}

bool isGone(const Cluster& cluster, const std::string& name, const std::string& uid) {
  const auto there = cluster.client.get(kube::kTrainingJobs, {cluster.name_space, name});
  if (!there) return there.failure->isNotFound();
  const auto meta = api::metaFromJson(*there.object);
  return meta && meta->uid != uid;
}

}  // namespace

ClusterRunEnd runInCluster(const Cluster& cluster, const ClusterRun& run,
                           const std::stop_token& stop) {
  return RunInCluster(cluster, run, stop).run();
}

std::string removeRun(const Cluster& cluster, const std::string& name, const std::string& uid) {
  const TimePoint until = cluster.clock.now() + kLongestRemoval;
  const std::string ours = "the job " + cluster.name_space + "/" + name;
  kube::DeleteOptions how;
  how.uid = uid;
  how.propagation = "Foreground";  // gone only when its pods are
  std::string problem;
  for (bool is_asked = false; cluster.clock.now() < until;
       kube::sleepFor(std::chrono::milliseconds(200), cluster.stop)) {
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
