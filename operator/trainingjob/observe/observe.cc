#include "operator/trainingjob/observe/observe.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "kube/api/json.h"
#include "operator/trainingjob/children/make_record.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

using nlohmann::json;

/// Reads what may still change: of a job whose record stands in its ConfigMap, only the templates;
/// of any other job, the whole spec.
void readSpec(const Defaults& defaults, const api::TrainingJob& job, JobNotes& notes) {
  notes.spec_generation = job.meta.generation;
  if (notes.is_pinned) {
    notes.problem = templateProblem(job, *notes.record);
    return;
  }
  auto made = makeRecord(job, defaults);
  notes.record = std::move(made.record);
  // One that was created for another spec may have keys for other slots.
  notes.stateOf(Child::kSecret) = ChildState::kMissing;
  notes.problem = std::move(made.problem);
}

/// The ConfigMap is created last: if it is ours, all children exist.
Result<void> recordFromConfigMap(const json& live, JobNotes& notes) {
  const auto data = live.find("data");
  auto record = recordFromData(data == live.end() ? json() : *data);
  if (!record) return record.error();
  notes.record = *std::move(record);
  notes.is_pinned = true;
  notes.children.fill(ChildState::kPresent);
  // Another operator made it, perhaps for other readers.
  if (readersOf(notes.record->defaults) != notes.readers)
    notes.stateOf(Child::kReaders) = ChildState::kUnknown;
  return {};
}

/// Takes the record from the job's ConfigMap, if there is one.
Result<void> readConfigMap(const ObserveParts& parts, const api::TrainingJob& job,
                           JobNotes& notes) {
  const std::string name = childName(job.meta.key.name, job.meta.uid, Child::kConfigMap);
  const kube::Reply reply = parts.client.get(kube::kConfigMaps, {job.meta.key.name_space, name});
  if (!reply && !reply.failure->isNotFound()) {
    return Error{ErrorCode::kUnavailable, reply.failure->message};
  }
  if (reply) {
    const auto meta = api::metaFromJson(*reply.object);
    if (!meta) return meta.error();
    if (meta->controller_uid == job.meta.uid && !meta->deleted) {
      const auto read = recordFromConfigMap(*reply.object, notes);
      return read ? read : read.error().within("ConfigMap " + meta->key.text());
    }
  }
  // There is none, or it is not ours: trying to create it will show which. The others may exist.
  notes.doubtChildren();
  notes.stateOf(Child::kConfigMap) = ChildState::kMissing;
  return {};
}

bool hasPod(const Observed& observed, const std::string& uid) {
  return std::any_of(observed.pods.begin(), observed.pods.end(),
                     [&](const auto& pod) { return pod->meta.uid == uid; });
}

std::vector<std::shared_ptr<const api::Pod>> podsOf(const ObserveParts& parts,
                                                    const api::TrainingJob& job) {
  return parts.pods.ownedBy({job.meta.key.name_space, job.meta.uid});
}

/// The pods of the cache, and new pods that it does not show yet, which would be created again.
void observePods(const ObserveParts& parts, const api::TrainingJob& job, JobNotes& notes,
                 Observed& observed) {
  observed.pods = podsOf(parts, job);
  const TimePoint now = parts.clock.now();
  std::erase_if(notes.new_pods, [&](const NewPod& made) {
    return now >= made.until || hasPod(observed, made.pod->meta.uid);
  });
  for (const NewPod& made : notes.new_pods)
    observed.pods.push_back(made.pod);
  notes.forgetDeletions([&](const std::string& uid) { return hasPod(observed, uid); });
  observed.deleting_uids = notes.deleting_uids;
  observed.forced_uids = notes.forced_uids;
  for (const auto& pod : observed.pods) {
    if (notes.isHeld(deletionOf(pod->meta.uid), now)) observed.held_uids.push_back(pod->meta.uid);
  }
  std::erase_if(notes.gone_pods,
                [&](const GonePod& gone) { return gone.attempt != job.status.attempt; });
  for (const GonePod& gone : notes.gone_pods)
    observed.gone.push_back(gone.slot);
}

/// A child whose name was not free is tried again when its hold has ended.
void retryTakenNames(const api::TrainingJob& job, TimePoint now, JobNotes& notes) {
  for (const Child child : kAllChildren) {
    ChildState& state = notes.stateOf(child);
    const bool is_taken = state == ChildState::kForeign || state == ChildState::kDeleting;
    if (!is_taken || notes.isHeld(kindAndName(job, child), now)) continue;
    state = ChildState::kMissing;
    if (child == Child::kSecret && notes.record) notes.record->secret_number = 0;
  }
}

/// What a quota refused is tried again as soon as it has room. A moment must have passed, longer
/// with each refusal in a row: what we know of the quota may be older than the last one.
void releaseWhatFits(const api::Quotas& quotas, TimePoint now, JobNotes& notes) {
  constexpr int kMoments = 10;  // in a pause
  for (auto& [what, hold] : notes.holds) {
    const auto lack = hold.refusal ? api::quotaLackOf(hold.refusal->message) : std::nullopt;
    const auto* const quota = lack ? api::findQuota(quotas, lack->quota) : nullptr;
    if (quota == nullptr || api::roomIn(*quota, lack->requested).value_or(0) == 0) continue;
    const Duration moment = hold.pause / kMoments;
    if (hold.until - now <= moment) continue;  // it ends soon, or was shortened already
    hold.until = std::max(now, hold.until - hold.pause + moment);
  }
}

/// How long what a user makes after the job may be missing before the status says so.
constexpr Duration kComing = std::chrono::seconds(5);

void observeHolds(const JobNotes& notes, TimePoint now, Observed& observed) {
  const std::string pod_prefix = "pod ";
  for (const auto& [what, hold] : notes.holds) {
    const bool may_come = hold.refusal && hold.refusal->is_absent && now - hold.first < kComing;
    if (hold.refusal && !may_come && !observed.refusal) {
      observed.refusal = hold.refusal;
      observed.refusal->lasts = now - hold.first;
    }
    // When the hold has ended, the foreign object is left out, so that the decision creates the pod
    // again.
    if (hold.is_foreign && now < hold.until && what.starts_with(pod_prefix)) {
      observed.foreign_pods.push_back(what.substr(pod_prefix.size()));
    }
  }
}

}  // namespace

Result<void> loadRecord(const ObserveParts& parts, const api::TrainingJob& job, JobNotes& notes) {
  if (job.status.isFinished()) {
    notes.is_loaded = false;  // frees their memory: thousands of jobs may be finished
    notes.record.reset();
    notes.is_pinned = false;
    notes.problem.reset();
    notes.holds.clear();
    notes.failing.clear();
    notes.gone_pods.clear();
    notes.sizing.reset();
    return {};
  }
  if (notes.holds_generation != job.meta.generation) {
    // What was rejected may have been changed.
    notes.holds.clear();
    notes.holds_generation = job.meta.generation;
  }
  notes.readers = readersOf(parts.defaults);
  if (notes.is_loaded && notes.spec_generation == job.meta.generation) return {};
  // A job without a status may still have begun: somebody may have emptied its status.
  const bool is_new = job.status.conditions.empty() && podsOf(parts, job).empty();
  if (!notes.is_loaded && !is_new) {
    const std::string what = kindAndName(job, Child::kConfigMap);
    const TimePoint now = parts.clock.now();
    if (notes.isHeld(what, now)) return {};
    if (auto read = readConfigMap(parts, job, notes); !read) {
      notes.noteFailure(what, {.what = what, .reason = "", .message = read.error().message}, now);
      return read;
    }
    notes.noteAnswer(what);
  }
  readSpec(parts.defaults, job, notes);
  notes.is_loaded = true;
  return {};
}

Observed observe(const ObserveParts& parts, std::shared_ptr<const api::TrainingJob> job,
                 JobNotes& notes) {
  Observed observed;
  const TimePoint now = parts.clock.now();
  observed.is_newest = job->meta.resource_version == notes.newest_version;
  observePods(parts, *job, notes, observed);
  retryTakenNames(*job, now, notes);
  observed.quotas = parts.quotas.of(job->meta.key.name_space);
  if (observed.quotas) releaseWhatFits(*observed.quotas, now, notes);
  observeHolds(notes, now, observed);
  observed.service = notes.stateOf(Child::kService);
  observed.config_map = notes.stateOf(Child::kConfigMap);
  observed.secret = notes.stateOf(Child::kSecret);
  observed.network_policy = notes.stateOf(Child::kNetworkPolicy);
  observed.readers_policy = notes.stateOf(Child::kReaders);
  observed.code = notes.stateOf(Child::kCode);
  observed.readers = notes.readers;
  observed.record = notes.record;
  observed.problem = notes.problem;
  if (auto told = parts.progress.latest(job->meta.key, job->meta.uid, job->status.attempt)) {
    observed.progress = told->progress;
    observed.membership = std::move(told->membership);
  }
  observed.sizing = notes.sizing;
  if (notes.status_written) observed.status_age = now - *notes.status_written;
  observed.running_jobs = parts.running_jobs();
  observed.status_rate = parts.status_rate;
  observed.operator_version = parts.operator_version;
  observed.job = std::move(job);
  return observed;
}

}  // namespace sumac::trainingjob
