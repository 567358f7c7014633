#include "cli/experiment/cluster_scaling.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/cluster/failure_text.h"
#include "cli/cluster/fetch.h"

namespace sumac::cli {
namespace {

constexpr std::chrono::seconds kBetweenAsking{1};

/// Whether the server may have done what it did not confirm.
bool mayHaveActed(const kube::Failure& failure) {
  constexpr int kServerErrors = 500;
  return failure.status == 0 ? !failure.is_unsent : failure.status >= kServerErrors;
}

}  // namespace

ClusterScaling::ClusterScaling(const Cluster& cluster, CoordinatorLog::Job job,
                               ScaleCourse::Means means, std::vector<experiment::ScaleStep> script,
                               std::function<void()> on_failure)
    : cluster_(cluster),
      job_(job.key),
      means_(means),
      on_failure_(std::move(on_failure)),
      course_(std::move(script), means),
      log_(cluster, std::move(job), *this) {}

// After a failure nobody wants the rest of the log, and the job that writes it goes on.
Result<experiment::ScaleRecord> ClusterScaling::finish(std::string parameters_sha256,
                                                       const std::stop_token& stop) {
  log_.finish(!has_failed_, stop);
  if (problem_.empty() && stop.stop_requested()) problem_ = "stopped";
  if (problem_.empty()) problem_ = course_.missing();
  if (!problem_.empty()) return Error{ErrorCode::kInvalid, problem_};
  return course_.take(std::move(parameters_sha256));
}

/// When the cluster is asked for the next number of workers.
std::optional<TimePoint> ClusterScaling::dueAt() const {
  const auto stop_at = course_.changeAt();
  if (is_confirmed_ || has_failed_ || !stop_at) return std::nullopt;
  return ask_again_ ? std::max(*ask_again_, *stop_at) : stop_at;
}

void ClusterScaling::onDue(const std::stop_token& /*stop*/) {
  const nlohmann::json change{{"spec", {{"replicas", course_.nextWorkers()}}}};
  const auto reply = cluster_.client.patch(kube::kTrainingJobs, job_, "scale", change);
  const bool is_done = !reply.failure.has_value();
  if (is_done || mayHaveActed(*reply.failure)) course_.onAsked(is_done);
  is_confirmed_ = is_done && course_.isAsked();
  if (is_done) return;
  ask_again_ = cluster_.clock.now() + kBetweenAsking;
  if (reply.failure->isTransient()) return;
  fail(inWords(
      *reply.failure,
      {.verb = "patch", .subresource = "scale", .name_space = job_.name_space, .name = job_.name},
      cluster_.server));
}

void ClusterScaling::fail(std::string problem) {
  problem_ = std::move(problem);
  has_failed_ = true;
  on_failure_();
}

/// With how many workers the attempt of this pod began.
void ClusterScaling::onAttempt(const api::Pod& pod) {
  const auto job = fetchJob(cluster_, job_.name);
  const bool is_known = job && job->job.status.attempt == pod.attempt;
  // What was asked for is in the next attempt, whatever it was begun for.
  const int expected = course_.isAsked() ? course_.nextWorkers() : course_.workers();
  workers_[pod.meta.uid] = is_known ? job->job.status.worker.desired : expected;
}

void ClusterScaling::onEvent(const std::string& pod_uid, const JobEvent& event, TimePoint time) {
  const bool was_asked = course_.isAsked();
  if (pod_uid != step_uid_) {
    step_uid_ = pod_uid;
    const bool is_next = was_asked && workers_[step_uid_] == course_.nextWorkers();
    if (is_next && means_ == ScaleCourse::Means::kRestart) course_.moveOn();
  }
  course_.onEvent(event, time);
  if (!was_asked || course_.isAsked()) return;
  is_confirmed_ = false;  // the change is there
  ask_again_.reset();
}

}  // namespace sumac::cli
