#include "cli/experiment/cluster_run.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/units.h"
#include "cli/cluster/failure_text.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/inbox.h"
#include "cli/cluster/story.h"
#include "cli/experiment/cell_object.h"
#include "cli/experiment/cluster_pods.h"
#include "cli/experiment/cluster_scaling.h"
#include "cli/experiment/cluster_sizing.h"
#include "cli/experiment/hpa_object.h"
#include "cli/experiment/remove_run.h"
#include "kube/client/backoff.h"

namespace sumac::cli {
namespace {

constexpr std::chrono::milliseconds kFirstPause{100};  // between tries; twice as long each time
constexpr std::chrono::seconds kLongestPause{5};
constexpr std::chrono::seconds kLookAfter{30};        // without news, ask whether the job is there
constexpr int kMostTries = 18;                        // about a minute without a cluster
constexpr std::chrono::minutes kLongestCreation{2};   // without an answer that settles it
constexpr std::chrono::minutes kLongestSilence{60};   // a job that trains goes on without us
constexpr std::chrono::minutes kLongestUntouched{5};  // without any status

/// One run under way. Used by its own thread alone.
class RunInCluster {
 public:
  RunInCluster(const Cluster& cluster, const ClusterRun& run, const std::stop_token& stop)
      : cluster_(cluster),
        run_(run),
        stop_(stop),
        name_(run.object.at("metadata").at("name").get<std::string>()) {}

  ClusterRunEnd run() {
    if (const auto created = create(); !created)
      return {failed(created.error().message), removeUnconfirmed()};
    begin();
    auto outcome = autoscaler_problem_.empty() ? follow() : failed(autoscaler_problem_);
    scaling_.reset();
    // Before the job: the next experiment takes a quota without a job for left behind.
    const std::string quota_note = sizing_ ? sizing_->end() : std::string();
    std::string note = removeRun(cluster_, name_, uid_);
    const auto* const failure = std::get_if<RunFailure>(&outcome);
    const bool is_stopped = failure != nullptr && failure->stop_signal != 0;
    if (note.empty() && is_stopped) note = "deleted the job " + key().text();
    if (!quota_note.empty()) note += (note.empty() ? "" : "; ") + quota_note;
    if (!checkpoint_folder_.empty()) {
      note += (note.empty() ? "" : "; ") + std::string("its checkpoints stay in the folder ") +
              checkpoint_folder_ + " of the volume";
    }
    return {std::move(outcome), std::move(note)};
  }

 private:
  struct News {
    Change change;
    bool has_script_failed = false;  // then there is no change
  };

  api::ObjectKey key() const { return {cluster_.name_space, name_}; }
  RunOutcome failed(std::string cause) const {
    if (stop_.stop_requested()) return RunFailure{std::move(cause), SIGINT};
    return RunFailure{std::move(cause)};
  }
  /// False: a stop was asked for.
  bool pause() {
    return kube::sleepFor(kube::doubled(kFirstPause, kLongestPause, pauses_++), stop_);
  }

  void adopt(const FetchedJob& job) {
    uid_ = job.job.meta.uid;
    checkpoint_folder_ = checkpointFolderOf(*job.object);
  }
  Result<void> create();
  void begin();
  std::string makeAutoscaler();
  Result<bool> takeOver();
  std::string removeUnconfirmed();
  RunOutcome follow();
  std::string stuck(const std::string& gone);
  RunOutcome ended(const api::TrainingJob& job, ExitCode code);
  RunOutcome explain(const api::TrainingJob& job);
  RunOutcome measure();
  RunOutcome measureScaled(const std::string& parameters_sha256);
  RunOutcome measureSized(const std::string& parameters_sha256);
  Result<std::vector<api::Pod>> podsAtEnd();

  const Cluster& cluster_;       // outlives us
  const ClusterRun& run_;        // outlives us
  const std::stop_token& stop_;  // outlives us
  const std::string name_;
  std::string uid_;
  std::string checkpoint_folder_;  // of its volume; empty: it has none
  bool may_exist_ = false;         // a creation had no answer, or none that can be read
  int pauses_ = 0;
  TimePoint heard_ = cluster_.clock.now();    // from the cluster
  std::optional<TimePoint> untouched_since_;  // nothing: the job has a status
  Inbox<News> inbox_;
  ToldSizes told_sizes_;
  std::string autoscaler_problem_;
  std::optional<ClusterScaling> scaling_;  // last, with the next: they use the inbox
  std::optional<ClusterSizing> sizing_;
};

/// Until the job is there. A cluster that does not answer is asked again: the job may be there
/// already. Then it is also ours to delete.
Result<void> RunInCluster::create() {
  const TimePoint until = cluster_.clock.now() + kLongestCreation;
  std::string problem = "the job " + key().text() + " of an earlier start is still being deleted";
  while (!stop_.stop_requested() && cluster_.clock.now() < until) {
    const auto made = cluster_.client.create(kube::kTrainingJobs, cluster_.name_space, run_.object);
    if (made) {
      may_exist_ = true;
      const auto job = readJob(made.object);
      if (!job) return job.error();
      adopt(*job);
      return {};
    }
    if (made.failure->alreadyExists()) {
      const auto taken = takeOver();
      if (!taken) return taken.error();
      if (*taken) return {};
    } else {
      problem = inWords(*made.failure, {.verb = "create", .name_space = cluster_.name_space},
                        cluster_.server);
      if (!made.failure->isTransient()) return Error{ErrorCode::kInvalid, problem};
    }
    may_exist_ = may_exist_ || (made.failure->status == 0 && !made.failure->is_unsent);
    pause();
  }
  if (stop_.stop_requested()) return Error{ErrorCode::kUnavailable, "stopped"};
  return Error{ErrorCode::kUnavailable, "the job could not be created within " +
                                            durationText(kLongestCreation) + ": " + problem};
}

/// What happens to the job besides its training.
void RunInCluster::begin() {
  const CoordinatorLog::Job job{key(), uid_, {run_.has_servers ? Role::kServer : Role::kWorker, 0}};
  const auto on_failure = [this] { inbox_.put({{}, /*has_script_failed=*/true}); };
  if (!run_.scale.empty()) scaling_.emplace(cluster_, job, run_.means, run_.scale, on_failure);
  if (run_.sizing) sizing_.emplace(cluster_, job, *run_.sizing, on_failure);
  if (run_.autoscaled != nullptr) autoscaler_problem_ = makeAutoscaler();
}

/// It goes with the job. Returns why it is not there; empty: it is.
std::string RunInCluster::makeAutoscaler() {
  const auto object = autoscalerObject(run_.sizing->mark, {name_, uid_}, *run_.autoscaled);
  const TimePoint until = cluster_.clock.now() + kLongestCreation;
  while (true) {
    const auto made = cluster_.client.create(kube::kAutoscalers, cluster_.name_space, object);
    if (made || made.failure->alreadyExists()) return {};
    const bool goes_on = made.failure->isTransient() && cluster_.clock.now() < until;
    if (goes_on && pause()) continue;
    return inWords(
        *made.failure,
        {.verb = "create", .resource = kube::kAutoscalers, .name_space = cluster_.name_space},
        cluster_.server);
  }
}

/// Deletes a job whose creation had no answer that can be read, if it is there after all. Returns
/// what people should know.
std::string RunInCluster::removeUnconfirmed() {
  if (!may_exist_) return {};
  const auto there = cluster_.client.get(kube::kTrainingJobs, key());
  if (!there && there.failure->isNotFound()) return {};
  if (const auto taken = takeOver(); !taken || !*taken) {
    return "it is not known whether the job " + key().text() + " was created; `sumac delete " +
           name_ + " -n " + cluster_.name_space + " --ignore-not-found` makes sure";
  }
  const std::string problem = removeRun(cluster_, name_, uid_);
  return problem.empty() ? "deleted the job " + key().text() : problem;
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
  adopt(*job);
  return true;
}

RunOutcome RunInCluster::follow() {
  WatchedList list;
  list.name_space = cluster_.name_space;
  list.field_selector = "metadata.name=" + name_;
  const auto watch =
      cluster_.watch(list, [this](Change change) { inbox_.put({std::move(change)}); });
  const std::string gone = "the job " + key().text() + " was deleted before it had ended";
  untouched_since_ = heard_ = cluster_.clock.now();
  while (!stop_.stop_requested()) {
    const auto news = inbox_.take(stop_, cluster_.clock.now() + kLookAfter);
    if (!news) {
      if (const std::string problem = stuck(gone); !problem.empty()) return failed(problem);
      continue;
    }
    // Both say why.
    if (news->has_script_failed) return sizing_ ? measureSized({}) : measureScaled({});
    heard_ = cluster_.clock.now();
    const auto fetched = readJob(news->change.object);
    if (!fetched || fetched->job.meta.uid != uid_) continue;
    if (!fetched->job.status.conditions.empty()) untouched_since_.reset();
    told_sizes_.onJob(fetched->job, heard_);
    if (const auto code = endOf(fetched->job.status)) return ended(fetched->job, *code);
    if (news->change.is_removed) return failed(gone);
  }
  return failed("");
}

/// Asks for the job where there is no news of it. Returns why it is not worth waiting for; empty:
/// it is.
std::string RunInCluster::stuck(const std::string& gone) {
  const auto there = cluster_.client.get(kube::kTrainingJobs, key());
  const TimePoint now = cluster_.clock.now();
  if (there || there.failure->status != 0) heard_ = now;
  if (!there && there.failure->isNotFound()) return gone;
  if (untouched_since_ && now - *untouched_since_ >= kLongestUntouched) {
    return "nothing has taken care of the job " + key().text() + " for " +
           durationText(kLongestUntouched) +
           "; is the operator running in this cluster, and does it watch this namespace?";
  }
  if (now - heard_ < kLongestSilence) return {};
  return "the cluster has not answered for " + durationText(kLongestSilence) +
         (there ? "" : ": " + there.failure->message);
}

RunOutcome RunInCluster::ended(const api::TrainingJob& job, ExitCode code) {
  if (code != ExitCode::kDone) return explain(job);
  if (!scaling_ && !sizing_) return measure();
  const std::string sha = job.status.result ? job.status.result->parameters_sha256 : std::string();
  return sizing_ ? measureSized(sha) : measureScaled(sha);
}

RunOutcome RunInCluster::explain(const api::TrainingJob& job) {
  const api::Condition* const condition = job.status.find("Failed");
  std::string cause = condition == nullptr ? "the job failed" : condition->message;
  if (const auto& last = job.status.last_failure; last && !last->message.empty())
    cause += "\n    " + last->pod_name + ": " + last->message;
  if (const auto pods = fetchPods(cluster_, name_)) keepLogs(cluster_, *pods, run_.folder);
  return failed(cause);
}

RunOutcome RunInCluster::measure() {
  std::optional<Error> problem;
  for (int i = 0; i < kMostTries && (i == 0 || pause()); ++i) {
    const auto pods = fetchPods(cluster_, name_);
    const auto log =
        pods ? logOfPod(cluster_, name_ + (run_.has_servers ? "-server-0" : "-worker-0"))
             : Result<std::string>(pods.error());
    if (!log) {
      problem = log.error();
      continue;
    }
    auto figures = experiment::figuresOf(*log, run_.warmup_steps);
    if (!figures) return failed(figures.error().message);
    addNodes(cluster_, *pods, *figures);
    experiment::addResult(*figures, lastMessage(*pods));
    if (const auto broken = brokenLimit(run_.link, *figures); !broken.empty())
      return failed(broken);
    return *std::move(figures);
  }
  return failed(problem ? problem->message : "");
}

/// What the scaling read while the job ran: its earlier pods are gone. So only those of the last
/// number of workers tell what their links carried.
RunOutcome RunInCluster::measureScaled(const std::string& parameters_sha256) {
  auto record = scaling_->finish(parameters_sha256, stop_);
  if (!record) return failed(record.error().message);
  const auto pods = podsAtEnd();
  if (!pods) return failed(pods.error().message);
  if (const auto broken = brokenLimit(run_.link, *record, lastMessage(*pods)); !broken.empty())
    return failed(broken);
  auto figures = experiment::figuresOf(*std::move(record), run_.warmup_steps);
  if (!figures) return failed(figures.error().message);
  if (const auto result = jobResultFromMessage(lastMessage(*pods)))
    figures->learned = experiment::learnedOf(*result);
  figures->left_on_volume = checkpoint_folder_;
  addNodes(cluster_, *pods, *figures);
  return *std::move(figures);
}

/// Figures of the whole job, from its log and its states while it ran.
RunOutcome RunInCluster::measureSized(const std::string& parameters_sha256) {
  auto figures = sizing_->finish(told_sizes_.all(), parameters_sha256, stop_);
  if (!figures) return failed(figures.error().message);
  const auto pods = podsAtEnd();
  if (!pods) return failed(pods.error().message);
  experiment::addResult(*figures, lastMessage(*pods));
  LinkLimit link = run_.link;
  link.workers = meanWorkers(*figures->sizing);
  if (const auto broken = brokenLimit(link, *figures); !broken.empty()) return failed(broken);
  addNodes(cluster_, *pods, *figures);
  return *std::move(figures);
}

Result<std::vector<api::Pod>> RunInCluster::podsAtEnd() {
  auto pods = fetchPods(cluster_, name_);
  for (int i = 1; i < kMostTries && !pods && pause(); ++i)
    pods = fetchPods(cluster_, name_);
  return pods;
}

}  // namespace

ClusterRunEnd runInCluster(const Cluster& cluster, const ClusterRun& run,
                           const std::stop_token& stop) {
  return RunInCluster(cluster, run, stop).run();
}

}  // namespace sumac::cli
