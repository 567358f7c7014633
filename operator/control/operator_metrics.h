#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/mutex.h"
#include "base/telemetry/metrics.h"
#include "kube/api/training_job.h"

namespace sumac::control {

/// How a pass ended.
enum class PassOutcome { kDone, kFailed, kBroken };

std::string_view toString(PassOutcome outcome);

/// Values that are counted elsewhere and read when the metrics are scraped.
struct MetricsReading {
  struct Cache {
    std::string resource;  // "pods"
    std::size_t objects = 0;
    std::uint64_t refused = 0;
    std::uint64_t watch_restarts = 0;
    std::uint64_t relists = 0;
  };

  std::size_t queue_depth = 0;
  std::size_t queue_delayed = 0;
  std::uint64_t queue_adds = 0;
  std::uint64_t queue_retries = 0;
  double throttled_seconds = 0;
  bool is_leader = false;
  std::uint64_t events_dropped = 0;
  std::map<std::string, int> jobs_by_state;
  std::vector<Cache> caches;
};

/// The metrics sumac_operator_* and sumac_jobs_*. docs/metrics.md lists them; a test compares both.
/// Safe from any thread.
class OperatorMetrics {
 public:
  explicit OperatorMetrics(Metrics& metrics);  // outlives us

  void reconciled(PassOutcome outcome, Duration took);
  /// One request to the API server; code 0: it got no answer.
  void requested(std::string_view verb, int code);
  /// A job's status was written: counts what it says for the first time.
  void statusWritten(const std::string& name_space, const api::JobStatus& before,
                     const api::JobStatus& after);
  void publish(const MetricsReading& reading);

 private:
  void publishCache(const MetricsReading::Cache& cache);
  void publishJobs(const std::map<std::string, int>& jobs_by_state) SUMAC_REQUIRES(mutex_);

  Metrics& metrics_;
  Histogram duration_;
  Gauge depth_;
  Gauge delayed_;
  Counter adds_;
  Counter retries_;
  Counter throttled_;
  Gauge is_leader_;
  Counter events_dropped_;

  Mutex mutex_;                                                   // one publish() at a time
  std::map<std::string, Gauge> states_ SUMAC_GUARDED_BY(mutex_);  // every state ever seen
};

}  // namespace sumac::control
