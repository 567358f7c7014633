#include "operator/trainingjob/job_reconciler.h"

#include <utility>

#include "operator/control/failpoint.h"
#include "operator/trainingjob/apply/apply.h"
#include "operator/trainingjob/apply/executor.h"
#include "operator/trainingjob/observe/observe.h"
#include "operator/trainingjob/policy/policies.h"
#include "operator/trainingjob/state/job_notes.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

using control::PassResult;

/// More rounds would mean that the decisions never settle; the next pass continues.
constexpr int kMostRounds = 4;

/// Where to poll the progress of the job; empty for a job that has ended or has no record yet.
std::optional<ProgressTarget> progressTarget(const Observed& observed) {
  const api::TrainingJob& job = *observed.job;
  if (!observed.record || job.status.isFinished()) return std::nullopt;
  ProgressTarget target{job.meta.key, job.meta.uid, job.status.attempt, ""};
  const Slot slot = coordinatorOf(observed.record->servers);
  for (const auto& pod : observed.pods) {
    const bool is_slot_0 = pod->is_ours && pod->slot == slot && pod->attempt == target.attempt;
    if (is_slot_0 && pod->is_running && !pod->meta.deleted) target.ip = pod->ip;
  }
  return target;
}

void earlier(std::optional<Duration>& when, const std::optional<Duration>& other) {
  if (other && (!when || *other < *when)) when = other;
}

class JobReconciler final : public control::Reconciler {
 public:
  JobReconciler(ReconcilerParts parts, ReconcilerOptions options)
      : executor_(options.in_flight),
        jobs_(parts.jobs),
        progress_(parts.progress),
        wall_clock_(parts.wall_clock),
        log_(parts.log),
        on_status_(std::move(parts.on_status)),
        observe_{.client = parts.client,
                 .pods = parts.pods,
                 .quotas = parts.quotas,
                 .clock = parts.clock,
                 .progress = parts.progress,
                 .running_jobs = std::move(parts.running_jobs),
                 .defaults = std::move(options.defaults),
                 .status_rate = options.status_rate,
                 .operator_version = std::move(options.operator_version)},
        apply_{.client = parts.client,
               .jobs = parts.jobs,
               .events = parts.events,
               .clock = parts.clock,
               .executor = executor_,
               .log = parts.log} {}

  PassResult reconcile(const api::ObjectKey& key, const std::stop_token& stop) override {
    control::failpoint(control::Failpoint::kPassBegin);
    std::shared_ptr<const api::TrainingJob> job = jobs_.find(key);
    if (!job || job->meta.deleted || !job->isManagedByUs()) {
      notes_.forget(key);
      progress_.forget(key);
      return {};
    }
    const auto notes = notes_.of(key, job->meta.uid);
    for (int round = 0; round < kMostRounds; ++round) {
      if (auto result = passRound(job, *notes, stop)) return *result;
    }
    return {.failed = false, .again_after = Duration::zero()};
  }

 private:
  /// Decides once and applies that. Empty: repeat, with `job` as it is now.
  std::optional<PassResult> passRound(std::shared_ptr<const api::TrainingJob>& job, JobNotes& notes,
                                      const std::stop_token& stop) {
    if (const auto loaded = loadRecord(observe_, *job, notes); !loaded) {
      log_.warn("the job's record cannot be read",
                {{"job", job->meta.key.text()}, {"error", loaded.error().message}});
      const std::string what = kindAndName(*job, Child::kConfigMap);
      if (notes.isHeld(what, apply_.clock.now())) return std::nullopt;  // the status says so
      return PassResult{.failed = true, .again_after = {}};
    }
    const Observed observed = observe(observe_, job, notes);
    const Decision decided = decide(observed, wall_clock_.now());
    if (const auto target = progressTarget(observed)) {
      progress_.follow(*target);
    } else {
      progress_.forget(job->meta.key);
    }
    const Applied applied = apply(apply_, stop, notes, *job, decided);
    if (applied.written && on_status_) on_status_(*job, applied.written->status);
    if (applied.has_failed) return PassResult{.failed = true, .again_after = {}};
    // What was decided without its status would be decided again.
    if (decided.sizing && (applied.written || !decided.status)) notes.sizing = decided.sizing;
    if (applied.newest) {
      job = applied.newest;
      return std::nullopt;
    }
    if (applied.was_refused || applied.is_outdated) return std::nullopt;
    if (applied.written && decided.actions.empty()) {
      job = applied.written;
      return std::nullopt;
    }
    PassResult result{.failed = false, .again_after = decided.again_after};
    earlier(result.again_after, notes.nextEnd(apply_.clock.now()));
    return result;
  }

  Executor executor_;
  NotesOfJobs notes_;
  cache::JobCache& jobs_;
  ProgressSource& progress_;
  const WallClock& wall_clock_;
  const Log log_;
  const std::function<void(const api::TrainingJob&, const api::JobStatus&)> on_status_;
  const ObserveParts observe_;
  const ApplyParts apply_;
};

}  // namespace

std::unique_ptr<control::Reconciler> makeReconciler(ReconcilerParts parts,
                                                    ReconcilerOptions options) {
  return std::make_unique<JobReconciler>(std::move(parts), std::move(options));
}

}  // namespace sumac::trainingjob
