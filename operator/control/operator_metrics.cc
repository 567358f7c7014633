#include "operator/control/operator_metrics.h"

#include "base/core/version.h"

namespace sumac::control {
namespace {

// Buckets: from a pass with nothing to do (tens of microseconds) to one that waits behind a
// thousand creates.
const std::vector<double>& durationBounds() {
  static const std::vector<double> kBounds = {0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05,
                                              0.1,    0.5,    1,     5,     30,   120};
  return kBounds;
}

// About twice the number of real states.
constexpr std::size_t kMostStates = 16;
constexpr const char* kOtherState = "Other";

Counter passCounter(Metrics& metrics, PassOutcome outcome) {
  return metrics.counter("sumac_operator_reconciles_total", "Passes over a job, by how they ended",
                         {{"result", std::string(toString(outcome))}});
}

}  // namespace

std::string_view toString(PassOutcome outcome) {
  switch (outcome) {
    case PassOutcome::kDone: return "done";
    case PassOutcome::kFailed: return "failed";
    case PassOutcome::kBroken: return "broken";
  }
  return "unknown";
}

OperatorMetrics::OperatorMetrics(Metrics& metrics)
    : metrics_(metrics),
      duration_(metrics.histogram("sumac_operator_reconcile_duration_seconds",
                                  "How long a pass over a job took", durationBounds())),
      depth_(metrics.gauge("sumac_operator_queue_depth", "Jobs that wait for a free worker")),
      delayed_(metrics.gauge("sumac_operator_queue_delayed", "Jobs that wait for their time")),
      adds_(metrics.counter("sumac_operator_queue_adds_total", "Jobs enqueued")),
      retries_(metrics.counter("sumac_operator_queue_retries_total",
                               "Passes that will be retried after a back-off")),
      throttled_(metrics.counter("sumac_operator_throttled_seconds_total",
                                 "Time that requests waited for our own rate limit")),
      is_leader_(metrics.gauge("sumac_operator_is_leader", "1 where this operator leads, else 0")),
      events_dropped_(metrics.counter("sumac_operator_events_dropped_total",
                                      "Events that were not sent: too many at once")) {
  metrics
      .gauge("sumac_operator_build_info", "1; the labels tell the build", {{"version", kVersion}})
      .set(1);
  for (const auto outcome : {PassOutcome::kDone, PassOutcome::kFailed, PassOutcome::kBroken}) {
    passCounter(metrics, outcome);  // from the start at 0
  }
}

void OperatorMetrics::reconciled(PassOutcome outcome, Duration took) {
  passCounter(metrics_, outcome).add();
  duration_.observe(std::chrono::duration<double>(took).count());
}

void OperatorMetrics::requested(std::string_view verb, int code) {
  metrics_
      .counter("sumac_operator_requests_total",
               "Requests to the API server; code 0: no answer came",
               {{"verb", std::string(verb)}, {"code", std::to_string(code)}})
      .add();
}

void OperatorMetrics::statusWritten(const std::string& name_space, const api::JobStatus& before,
                                    const api::JobStatus& after) {
  const auto add = [&](const char* name, const char* help, int by) {
    if (by > 0) metrics_.counter(name, help, {{"namespace", name_space}}).add(by);
  };
  const auto begins = [&](std::string_view type) {
    return after.isTrue(type) && !before.isTrue(type) ? 1 : 0;
  };
  const auto attempts = [](const api::JobStatus& status) {
    return status.restarts + status.disruptions;
  };
  add("sumac_jobs_created_total", "Jobs that this operator has accepted", begins("Created"));
  add("sumac_jobs_succeeded_total", "Jobs that completed", begins("Succeeded"));
  add("sumac_jobs_failed_total", "Jobs that failed for good", begins("Failed"));
  add("sumac_jobs_restarted_total", "Attempts that a failure or a disruption of a pod began",
      attempts(after) - attempts(before));
}

void OperatorMetrics::publish(const MetricsReading& reading) {
  const MutexLock lock(mutex_);
  depth_.set(static_cast<double>(reading.queue_depth));
  delayed_.set(static_cast<double>(reading.queue_delayed));
  adds_.advanceTo(static_cast<double>(reading.queue_adds));
  retries_.advanceTo(static_cast<double>(reading.queue_retries));
  throttled_.advanceTo(reading.throttled_seconds);
  is_leader_.set(reading.is_leader ? 1 : 0);
  events_dropped_.advanceTo(static_cast<double>(reading.events_dropped));
  publishJobs(reading.jobs_by_state);
  for (const MetricsReading::Cache& cache : reading.caches)
    publishCache(cache);
}

void OperatorMetrics::publishCache(const MetricsReading::Cache& cache) {
  const Metrics::Labels labels = {{"resource", cache.resource}};
  metrics_.gauge("sumac_operator_cache_objects", "Objects that are kept in memory", labels)
      .set(static_cast<double>(cache.objects));
  metrics_
      .counter("sumac_operator_cache_refused_total",
               "Objects of the API server that could not be read and were skipped", labels)
      .advanceTo(static_cast<double>(cache.refused));
  metrics_
      .counter("sumac_operator_watch_restarts_total", "Watches that ended and were begun again",
               labels)
      .advanceTo(static_cast<double>(cache.watch_restarts));
  metrics_.counter("sumac_operator_watch_relists_total", "Lists that were read whole", labels)
      .advanceTo(static_cast<double>(cache.relists));
}

/// A state that no job has any more is set to 0. States are texts from objects of the cluster, so
/// their number is limited: users must not be able to create series without limit.
void OperatorMetrics::publishJobs(const std::map<std::string, int>& jobs_by_state) {
  std::map<std::string, int> shown;
  for (const auto& [state, count] : jobs_by_state) {
    const bool has_room = states_.contains(state) || states_.size() < kMostStates;
    const std::string name = has_room ? state : kOtherState;
    if (!states_.contains(name)) {
      states_.emplace(
          name, metrics_.gauge("sumac_operator_jobs", "Jobs by their state", {{"state", name}}));
    }
    shown[name] += count;
  }
  for (auto& [state, gauge] : states_)
    gauge.set(shown[state]);
}

}  // namespace sumac::control
