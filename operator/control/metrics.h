#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/telemetry/metrics.h"

namespace sumac::control {

/// How a pass ended.
enum class PassOutcome { kDone, kFailed, kBroken };

std::string_view toString(PassOutcome outcome);

/// What is counted elsewhere and read when somebody asks for the metrics.
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

/// sumac_operator_*: docs/metrics.md lists each, and a test compares. Safe from any thread.
class OperatorMetrics {
 public:
  explicit OperatorMetrics(Metrics& metrics);  // outlives us

  void reconciled(PassOutcome outcome, Duration took);
  /// One request to the API server; code 0: no answer came.
  void requested(std::string_view verb, int code);
  void publish(const MetricsReading& reading);

 private:
  void publishCache(const MetricsReading::Cache& cache);
  void publishJobs(const std::map<std::string, int>& jobs_by_state);

  Metrics& metrics_;
  Histogram duration_;
  Gauge depth_;
  Gauge delayed_;
  Counter adds_;
  Counter retries_;
  Counter throttled_;
  Gauge is_leader_;
  Counter events_dropped_;

  std::mutex mutex_;                     // one publish() at a time
  std::map<std::string, Gauge> states_;  // all that were ever seen; guarded by mutex_
};

}  // namespace sumac::control
