#pragma once

#include <atomic>

#include "base/core/clock.h"
#include "base/telemetry/http_server.h"
#include "base/telemetry/metrics.h"
#include "base/telemetry/process_metrics.h"
#include "base/telemetry/published.h"
#include "exchange/client/exchange_client.h"
#include "exchange/link/link_metrics.h"
#include "worker/train/surroundings.h"

namespace sumac::worker {

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
