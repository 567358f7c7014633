#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/slot.h"
#include "base/core/wait.h"
#include "base/process/outlet.h"
#include "base/telemetry/http_server.h"
#include "base/telemetry/metrics.h"
#include "base/telemetry/process_metrics.h"
#include "base/telemetry/published.h"
#include "base/telemetry/pulse.h"
#include "exchange/link/link_metrics.h"
#include "exchange/member/job_member.h"
#include "exchange/status/job_progress.h"
#include "job/progress/job_event.h"

namespace sumac {

/// A server's HTTP answers: /healthz, /readyz, /metrics, /stuck and, for the coordinator,
/// /progress. The reactor's thread publishes snapshots, from which the HTTP server's thread
/// answers.
class ServerStatus {
 public:
  /// The reactor ticks every 20 ms; after so long without a tick it counts as stuck.
  static constexpr Duration kStuck = std::chrono::seconds(10);

  /// In a worker's process, what every process has is the worker's to tell.
  enum class Place { kOwnProcess, kInWorker };

  /// `clock` outlives us.
  ServerStatus(Slot self, JobIdentity job, const Clock& clock, Place place = Place::kOwnProcess);

  // From the reactor's thread.
  void publish(const link::Statistics& link, const MemberView& member,
               const std::vector<Wait>& waits = {});
  void publish(const Progress& progress);
  /// Every checkpoint of the job that is complete, and that is not kept: told with the progress.
  void checkpointed(Step step);
  void skipped(Step step);
  /// The roster that is followed from now on; what its change has cost, once all have the state.
  void joined(const RosterBegan& roster);
  void changed(const MembersChanged& change);

  /// The routes refer to this object. Call them from one thread at a time.
  HttpServer::Routes routes();
  HttpAnswer metrics();
  /// The last one that the coordinator was told of.
  std::optional<Step> step() const;
  HttpAnswer progress() const { return progressAnswer(job_, progress_.get(), membership_.get()); }

 private:
  struct Snapshot {
    link::Statistics link;
    MemberView member;
    std::vector<Wait> waits;
  };
  /// Metrics of the job; created with the first progress.
  struct JobGauges {
    Gauge step;
    Gauge total_steps;
    Gauge epoch;
    Gauge loss;
    Gauge samples_per_second;
    Gauge batches_per_second;
  };

  HttpAnswer health() const;
  HttpAnswer readiness() const;
  JobGauges makeJobGauges();

  // Fixed after construction.
  Slot self_;
  JobIdentity job_;
  const Clock& clock_;  // outlives us

  // Of the reactor's thread.
  std::optional<Step> checkpoint_;
  std::optional<Step> skipped_;

  // Synchronise themselves.
  Pulse pulse_;
  Published<Snapshot> snapshot_;
  Published<std::optional<Progress>> progress_;
  Published<MembershipReport> membership_;

  // Of the thread that calls the routes.
  Metrics metrics_;
  std::optional<ProcessMetrics> process_metrics_;
  std::optional<link::LinkMetrics> link_metrics_;
  Gauge members_;
  Gauge term_;
  Gauge generation_;
  std::optional<JobGauges> job_gauges_;
  std::vector<Counter> rejected_pushes_;  // by PushRejection
};

/// Passes a line of the coordinator's to those who ask for the job's progress, and to the program
/// that started us.
void passOn(const std::string& json, ServerStatus& status, Outlet& outlet);

}  // namespace sumac
