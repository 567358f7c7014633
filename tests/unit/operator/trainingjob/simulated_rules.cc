#include "base/core/check.h"
#include "operator/trainingjob/children/make_record.h"
#include "operator/trainingjob/policy/autoscaling.h"
#include "tests/unit/operator/trainingjob/simulated_cluster.h"

// What the operator of a SimulatedCluster may write: the rules of docs/design/job-life.md.

namespace sumac::trainingjob {

bool isCourseAlone(const api::JobStatus& before, const api::JobStatus& after) {
  if (!before.autoscaling || !after.autoscaling) return false;
  api::JobStatus same = before;
  same.operator_version = after.operator_version;
  same.recovery.handled_pod_uids = after.recovery.handled_pod_uids;
  same.progress = after.progress;
  same.membership = after.membership;
  same.membership.changes = before.membership.changes;
  same.autoscaling = after.autoscaling;
  same.autoscaling->workers_wanted = before.autoscaling->workers_wanted;
  return same == after;
}

/// The record is written once.
void SimulatedCluster::checkRecord() {
  const nlohmann::json config_map = children_.find(kube::kConfigMaps, "j");
  if (config_map.is_null()) return;
  const auto record = recordFromData(config_map["data"]);
  SUMAC_CHECK(record.has_value());
  if (!parts_) parts_ = record->logical_workers;
  SUMAC_CHECK(record->logical_workers == *parts_, "V never changes", record->logical_workers);
}

void SimulatedCluster::checkWrite(const api::JobStatus& before, const api::JobStatus& after) {
  SUMAC_CHECK(!(before == after), "an equal status is not written");
  SUMAC_CHECK(after.conditions.size() == api::kConditionTypes.size());
  for (const char* type : {"Succeeded", "Failed"}) {
    if (!before.isTrue(type)) continue;
    SUMAC_CHECK(*before.find(type) == *after.find(type) ||
                    before.observed_generation != after.observed_generation,
                "terminal conditions are final");
    SUMAC_CHECK(after.isTrue(type) && after.attempt == before.attempt);
  }
  SUMAC_CHECK(!(after.isTrue("Succeeded") && after.isTrue("Failed")));
  SUMAC_CHECK(after.attempt == before.attempt || after.attempt == before.attempt + 1);
  SUMAC_CHECK(after.recovery.highest_step >= before.recovery.highest_step);
  SUMAC_CHECK(after.recovery.handled_pod_uids.size() <= pods_.size() + cache_.pods.size() +
                                                            notes_.new_pods.size() +
                                                            (kind_.changes_members ? 64 : 0));
  SUMAC_CHECK(after.observed_generation == jobs_[job_seen_].meta.generation);
  if (after.isTrue("Succeeded")) SUMAC_CHECK(complete_.count(after.attempt) > 0);
  if (after.find("Restarting")->reason == "ScaleDoesNotFit" && after.attempt > before.attempt) {
    SUMAC_CHECK(after.worker.desired < before.worker.desired, "it goes back to fewer");
    SUMAC_CHECK(!before.isTrue("Running"), "what runs has room");
    SUMAC_CHECK(after.restarts + after.disruptions == before.restarts + before.disruptions);
    has_gone_back_ = true;
  }
  checkReplaced(before, after);
  checkCount(before, after);
  checkSizing(before, after);
}

/// The bounds are kept. A number that is chosen is made so in the same write. What was observed is
/// written with other changes, or every ten minutes.
void SimulatedCluster::checkSizing(const api::JobStatus& before, const api::JobStatus& after) {
  const api::TrainingJob& job = jobs_[job_seen_];
  if (after.isFinished() || !kind_.is_elastic) return;
  SUMAC_CHECK(after.autoscaling.has_value() == job.autoscaling.has_value());
  SUMAC_CHECK(after.worker.desired <= *job.max_replicas, after.worker.desired);
  if (!before.autoscaling || !after.autoscaling) return;
  const int wanted = after.autoscaling->workers_wanted;
  SUMAC_CHECK(wanted >= *job.min_replicas && wanted <= *job.max_replicas, wanted);
  if (wanted != before.autoscaling->workers_wanted || after.resizes != before.resizes)
    SUMAC_CHECK(after.worker.desired == wanted, after.worker.desired, wanted);
  if (!isCourseAlone(before, after)) return;
  ++courses_;
  const std::int64_t moved =
      after.progress ? after.progress->step - (before.progress ? before.progress->step : 0) : 0;
  if (moved >= after.progress.value_or(Progress()).total_steps / 100 && moved > 0) return;
  SUMAC_CHECK(now_ - before.autoscaling->accounted.value_or(now_) >= kBetweenCourses);
}

/// Each pod that is replaced is counted once, and the attempt goes on.
void SimulatedCluster::checkReplaced(const api::JobStatus& before, const api::JobStatus& after) {
  int fresh = 0;
  for (const std::string& uid : after.recovery.handled_pod_uids)
    fresh += handled_.insert(uid).second ? 1 : 0;
  const int replaced = after.replaced - before.replaced;
  const int resized = after.resizes - before.resizes;
  SUMAC_CHECK(replaced >= 0 && resized >= 0 && resized <= 1);
  if (replaced + resized == 0) return;
  SUMAC_CHECK(kind_.changes_members && after.attempt == before.attempt && after.isTrue("Running"));
  if (replaced > 0) SUMAC_CHECK(replaced == fresh, replaced, fresh);
  if (resized > 0) SUMAC_CHECK(after.worker.desired != before.worker.desired);
}

void SimulatedCluster::checkCount(const api::JobStatus& before, const api::JobStatus& after) {
  const int restarts = after.restarts - before.restarts;
  const int disruptions = after.disruptions - before.disruptions;
  SUMAC_CHECK(restarts >= 0 && disruptions >= 0 && restarts + disruptions <= 1);
  if (restarts + disruptions > 0) SUMAC_CHECK(after.attempt == before.attempt + 1);
  const Injected& injected = injected_[before.attempt];
  if (restarts > 0) SUMAC_CHECK(injected.own || injected.lost_node || !injected.has_run);
  if (disruptions > 0) SUMAC_CHECK(injected.disruption || injected.lost_node);
  if (restarts > 0) SUMAC_CHECK(after.recovery.failures > 0);
  const bool fails = after.isTrue("Failed") && !before.isTrue("Failed");
  if (!fails) return;
  if (after.find("Failed")->reason == "BackoffLimitExceeded") {
    SUMAC_CHECK(after.recovery.failures == jobs_.back().run_policy.backoff_limit + 1);
    SUMAC_CHECK(injected.own || injected.lost_node || !injected.has_run);
  } else {
    SUMAC_CHECK(injected.for_good);
  }
}

}  // namespace sumac::trainingjob
