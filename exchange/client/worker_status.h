#pragma once

#include <cstdint>

#include "base/core/clock.h"
#include "base/core/step.h"
#include "base/telemetry/duration_counts.h"
#include "base/telemetry/http_server.h"
#include "base/telemetry/metrics.h"
#include "base/telemetry/process_metrics.h"
#include "base/telemetry/published.h"
#include "exchange/client/member_thread.h"
#include "exchange/link/link_metrics.h"

namespace sumac::worker {

/// How a worker's training goes: what its trainer publishes after every step. A value type that
/// copies without allocating.
struct TrainerSnapshot {
  Step step = 0;  // done last
  Step total_steps = 0;
  std::int64_t epoch = 0;      // of that step, from 1
  double loss = 0;             // of that step's mini-batch
  Step steps = 0;              // done by this process
  std::int64_t samples = 0;    // of this worker's parts
  double compute_seconds = 0;  // of gradients and updates
  double update_seconds = 0;   // of these, updates
  double data_wait_seconds = 0;
  double sum_wait_seconds = 0;
  double evaluation_seconds = 0;
  DurationCounts step_durations;
  std::int64_t checkpoints = 0;  // written by this process
  double checkpoint_seconds = 0;
  Step checkpoint_step = 0;  // of the newest
};

/// What a worker answers over HTTP: /healthz, /readyz, /metrics, /stuck. Trainer and reactor
/// publish, the HTTP server's thread answers from that alone.
class WorkerStatus {
 public:
  /// The reactor ticks every 20 ms; after so long without a tick it counts as stuck.
  static constexpr Duration kStuck = std::chrono::seconds(10);

  /// `clock` outlives us.
  explicit WorkerStatus(const Clock& clock);

  // For the threads that publish.
  Published<TrainerSnapshot>& trainer() { return trainer_; }
  Published<ExchangeSnapshot>& exchange() { return exchange_; }

  /// They refer to us. To be called by one thread at a time.
  HttpServer::Routes routes();

 private:
  struct Trained {
    Gauge step;
    Gauge total_steps;
    Gauge epoch;
    Gauge loss;
    Counter steps;
    Counter samples;
    Counter data_wait;
    Counter sum_wait;
    Counter checkpoints;
    Counter checkpoint_seconds;
    Gauge checkpoint_step;
    Histogram step_durations;
  };

  HttpAnswer health() const;
  HttpAnswer readiness() const;
  HttpAnswer metrics();
  Trained makeTrained();

  const Clock& clock_;  // outlives us

  // Synchronise themselves.
  Published<TrainerSnapshot> trainer_;
  Published<ExchangeSnapshot> exchange_;

  // Of the thread that calls the routes.
  Metrics metrics_;
  ProcessMetrics process_metrics_;
  link::LinkMetrics link_metrics_;
  Gauge term_;
  Gauge generation_;
  Counter limited_;
  Trained trained_;
  DurationCounts shown_durations_;
};

}  // namespace sumac::worker
