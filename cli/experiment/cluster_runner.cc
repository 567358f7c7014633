#include "cli/experiment/cluster_runner.h"

#include <charconv>
#include <csignal>
#include <utility>

#include "base/core/check.h"
#include "base/core/units.h"
#include "base/process/incarnation.h"
#include "cli/experiment/cluster_run.h"
#include "cli/experiment/remove_run.h"

namespace sumac::cli {
namespace {

int labelNumber(const api::TrainingJob& job, const char* label) {
  const auto found = job.meta.labels.find(label);
  if (found == job.meta.labels.end()) return 0;
  const std::string& text = found->second;
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : 0;
}

/// No other run has it, of this experiment or of another one with the same names.
std::string uniqueName() {
  return hexText(newIncarnation(), 16);
}

}  // namespace

ClusterRunner::ClusterRunner(const Cluster& cluster, Options options, std::stop_token stop)
    : cluster_(cluster),
      options_(std::move(options)),
      on_stop_(std::move(stop), [this] { ending_.request_stop(); }) {}

ClusterRunner::~ClusterRunner() {
  ending_.request_stop();
}

void ClusterRunner::begin(const CellRun& run) {
  threads_[run.id] = std::jthread([this, run] {
    const TimePoint begun = cluster_.clock.now();
    const experiment::Cell& cell = *run.cell;
    const bool has_servers = cell.job.strategy.hasServers();
    ClusterRun job{
        jobObjectOf(options_.mark, run.id, cell, uniqueName()),
        has_servers,
        options_.warmup_steps,
        run.folder,
        options_.scale,
        LinkLimit::of(cell),
        cell.job.canChangeMembers() ? ScaleCourse::Means::kInPlace : ScaleCourse::Means::kRestart};
    if (options_.sizing) {
      job.sizing = {*options_.sizing, options_.mark, has_servers ? cell.job.server.replicas : 0};
      if (cell.conditions.hpa) job.autoscaled = &cell;
    }
    auto end = runInCluster(cluster_, job, ending_.get_token());
    ended_.put({run.id, std::move(end.outcome), cluster_.clock.now() - begun, std::move(end.note)});
  });
}

// Without a stop token: a run that is stopped still ends, once its job is deleted.
EndedRun ClusterRunner::await() {
  auto ended = ended_.take({});
  SUMAC_CHECK(ended.has_value());
  threads_.erase(ended->id);
  return *std::move(ended);
}

int ClusterRunner::takeSignal() {
  return ending_.stop_requested() ? SIGINT : 0;
}

Result<std::vector<FetchedJob>> ClusterRunner::jobsThere() const {
  return fetchJobs(cluster_, cluster_.name_space,
                   std::string(kFolderLabel) + "=" + options_.mark.folder);
}

Result<void> ClusterRunner::checkCluster() const {
  const auto jobs = jobsThere();
  if (!jobs) return jobs.error();
  return {};
}

Result<std::vector<std::string>> ClusterRunner::removeLeftovers(
    const std::function<bool(experiment::RunId)>& is_wanted) {
  const auto jobs = jobsThere();
  if (!jobs) return jobs.error();
  std::vector<std::string> removed;
  for (const FetchedJob& job : *jobs) {
    const experiment::RunId run{labelNumber(job.job, kCellLabel),
                                labelNumber(job.job, kRepetitionLabel)};
    if (is_wanted(run)) continue;
    const std::string& name = job.job.meta.key.name;
    if (const auto problem = removeRun(cluster_, name, job.job.meta.uid); !problem.empty())
      return Error{ErrorCode::kUnavailable, problem};
    removed.push_back(name);
  }
  return removed;
}

}  // namespace sumac::cli
