#include "cli/experiment/cluster_sizing.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/cluster/fetch.h"
#include "cli/experiment/cluster_pods.h"
#include "cli/experiment/room_plan.h"
#include "cli/experiment/run_namespace.h"
#include "kube/client/backoff.h"

namespace sumac::cli {
namespace {

using experiment::ScriptedEvent;

constexpr std::chrono::minutes kLongestEvent{1};  // with a cluster that does not answer
constexpr std::chrono::milliseconds kBetweenTries{500};

Duration spanFrom(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// Asks until there is an answer that settles it. `ask` returns why it failed.
Result<void> settle(const Cluster& cluster, const std::stop_token& stop, const std::string& what,
                    const std::function<std::optional<kube::Failure>()>& ask) {
  const TimePoint until = cluster.clock.now() + kLongestEvent;
  while (true) {
    const auto failure = ask();
    if (!failure || failure->isNotFound() || failure->isConflict()) return {};
    const bool goes_on = failure->isTransient() && cluster.clock.now() < until;
    if (!goes_on || !kube::sleepFor(kBetweenTries, stop))
      return Error{ErrorCode::kUnavailable, "cannot " + what + ": " + failure->message};
  }
}

}  // namespace

ClusterSizing::ClusterSizing(const Cluster& cluster, CoordinatorLog::Job job, SizingScript script,
                             std::function<void()> on_failure)
    : cluster_(cluster),
      job_(std::move(job)),
      script_(std::move(script)),
      on_failure_(std::move(on_failure)),
      quota_(cluster, script_.mark, {job_.key.name, job_.uid}) {
  log_.emplace(cluster_, job_, static_cast<CoordinatorLog::Listener&>(*this));
}

Result<experiment::RunFigures> ClusterSizing::finish(const std::vector<ToldSizes::Told>& told,
                                                     std::string parameters_sha256,
                                                     const std::stop_token& stop) {
  // After a failure nobody wants the rest of the log, and the job that writes it goes on.
  log_->finish(!has_failed_, stop);
  if (problem_.empty() && stop.stop_requested()) problem_ = "stopped";
  if (!problem_.empty()) return Error{ErrorCode::kInvalid, problem_};
  for (const ToldSizes::Told& made : told)
    recorder_.onDecision(made.at, made.from, made.to, made.reason, made.why);
  const Step steps = recorder_.steps();
  return experiment::figuresOf(recorder_.take(std::move(parameters_sha256)), steps);
}

std::string ClusterSizing::end() {
  log_.reset();
  return quota_.remove();
}

void ClusterSizing::onEvent(const std::string& /*pod_uid*/, const JobEvent& event, TimePoint time) {
  recorder_.onEvent(event, time);
}

std::optional<TimePoint> ClusterSizing::dueAt() const {
  const auto begun = recorder_.begun();
  if (!begun || has_failed_ || next_event_ == script_.events.size()) return std::nullopt;
  return *begun + spanFrom(script_.events[next_event_].seconds);
}

void ClusterSizing::onDue(const std::stop_token& stop) {
  const ScriptedEvent& event = script_.events[next_event_++];
  const auto happened = happen(event, stop);
  if (happened || stop.stop_requested()) return;
  problem_ = happened.error().message;
  has_failed_ = true;
  on_failure_();
}

Result<void> ClusterSizing::happen(const ScriptedEvent& event, const std::stop_token& stop) {
  switch (event.kind) {
    case ScriptedEvent::Kind::kRoom: return leaveRoom(event.workers, stop);
    case ScriptedEvent::Kind::kKill: return kill(event.worker, stop);
    case ScriptedEvent::Kind::kSlow: break;
  }
  return Error{ErrorCode::kUnsupported, "workers of a cluster are not slowed"};
}

/// The quota first: a worker that is evicted before it is in force comes back at once. Others may
/// have come to the namespace since the experiment began.
Result<void> ClusterSizing::leaveRoom(int workers, const std::stop_token& stop) {
  if (const auto free = checkOtherPods(cluster_, script_.mark); !free) return free.error();
  if (const auto set = quota_.set(workers + script_.servers, stop); !set) return set.error();
  const auto there = pods(stop);
  if (!there) return there.error();
  for (const api::Pod& pod : workersAbove(*there, workers)) {
    const auto evicted = settle(cluster_, stop, "evict the pod " + pod.meta.key.text(),
                                [&] { return evictPod(cluster_, pod.meta); });
    if (!evicted) return evicted.error();
  }
  return {};
}

/// A worker that is not there cannot be lost.
Result<void> ClusterSizing::kill(int worker, const std::stop_token& stop) {
  const auto there = pods(stop);
  if (!there) return there.error();
  const auto victim = std::ranges::find(*there, Slot{Role::kWorker, worker}, &api::Pod::slot);
  if (victim == there->end()) return {};
  kube::DeleteOptions at_once;
  at_once.uid = victim->meta.uid;
  at_once.grace_seconds = 0;
  return settle(cluster_, stop, "delete the pod " + victim->meta.key.text(), [&] {
    return cluster_.client.remove(kube::kPods, victim->meta.key, at_once).failure;
  });
}

/// The client asks again where that may help.
Result<std::vector<api::Pod>> ClusterSizing::pods(const std::stop_token& stop) const {
  const TimePoint until = cluster_.clock.now() + kLongestEvent;
  auto there = fetchPods(cluster_, job_.key.name);
  while (!there && cluster_.clock.now() < until && kube::sleepFor(kBetweenTries, stop))
    there = fetchPods(cluster_, job_.key.name);
  return there;
}

}  // namespace sumac::cli
