#include "operator/trainingjob/reconciler.h"

#include <algorithm>
#include <utility>

#include "operator/control/failpoint.h"
#include "operator/trainingjob/apply.h"
#include "operator/trainingjob/executor.h"
#include "operator/trainingjob/memory.h"
#include "operator/trainingjob/names.h"
#include "operator/trainingjob/observe.h"
#include "operator/trainingjob/plan.h"

namespace sumac::trainingjob {
namespace {

using control::PassResult;

/// More would be a plan that never has enough; the next pass goes on.
constexpr int kMostRounds = 4;

/// Where to ask how far the job is; nothing for a job that ended, or whose slot 0 is not known.
std::optional<ProgressTarget> progressTarget(const Observed& observed) {
  const api::TrainingJob& job = *observed.job;
  if (!observed.record || job.status.isFinished()) return std::nullopt;
  ProgressTarget target{job.meta.key, job.meta.uid, job.status.attempt, ""};
  const Slot slot = coordinatorOf(*observed.record);
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
      : parts_(std::move(parts)), options_(std::move(options)), executor_(options_.in_flight) {}

  PassResult reconcile(const api::ObjectKey& key, const std::stop_token& stop) override {
    control::failpoint(control::Failpoint::kPassBegin);
    std::shared_ptr<const api::TrainingJob> job = parts_.jobs.find(key);
    if (!job || job->meta.deleted || !job->isManagedByUs()) {
      memory_.forget(key);
      parts_.progress.forget(key);
      return {};
    }
    const auto memory = memory_.of(key, job->meta.uid);
    for (int round = 0; round < kMostRounds; ++round) {
      if (auto result = passRound(job, *memory, stop)) return *result;
    }
    return {.failed = false, .again_after = Duration::zero()};
  }

 private:
  /// Asks plan() once and does what it says; nothing: ask again, `job` is what stands now.
  std::optional<PassResult> passRound(std::shared_ptr<const api::TrainingJob>& job,
                                      JobMemory& memory, const std::stop_token& stop) {
    if (const auto loaded = loadRecord(parts_, options_.defaults, *job, memory); !loaded) {
      parts_.log.warn("the job's record cannot be read",
                      {{"job", job->meta.key.text()}, {"error", loaded.error().message}});
      return PassResult{.failed = true, .again_after = {}};
    }
    const Observed observed = observe(parts_, options_, job, memory);
    const Plan decided = plan(observed, parts_.wall_clock.now());
    if (const auto target = progressTarget(observed)) {
      parts_.progress.follow(*target);
    } else {
      parts_.progress.forget(job->meta.key);
    }
    const Applied applied = Apply(parts_, executor_, stop, memory).run(*job, decided);
    if (applied.has_failed) return PassResult{.failed = true, .again_after = {}};
    if (applied.was_refused) return std::nullopt;
    if (applied.written && decided.actions.empty()) {
      job = applied.written;
      return std::nullopt;
    }
    PassResult result{.failed = false, .again_after = decided.again_after};
    earlier(result.again_after, memory.nextEnd(parts_.clock.now()));
    return result;
  }

  const ReconcilerParts parts_;
  const ReconcilerOptions options_;
  Memory memory_;
  Executor executor_;
};

}  // namespace

std::unique_ptr<control::Reconciler> makeReconciler(ReconcilerParts parts,
                                                    ReconcilerOptions options) {
  return std::make_unique<JobReconciler>(std::move(parts), std::move(options));
}

}  // namespace sumac::trainingjob
