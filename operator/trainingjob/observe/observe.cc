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
void readSpec(const Defaults& defaults, const api::TrainingJob& job, JobMemory& memory) {
  memory.spec_generation = job.meta.generation;
  if (memory.is_pinned) {
    memory.problem = templateProblem(job, *memory.record);
    return;
  }
  auto made = makeRecord(job, defaults);
  memory.record = std::move(made.record);
  // One that was created for another spec may have keys for other slots.
  memory.stateOf(Child::kSecret) = ChildState::kMissing;
  memory.problem = std::move(made.problem);
}

/// The ConfigMap is created last: if it is ours, all children exist.
Result<void> recordFromConfigMap(const json& live, JobMemory& memory) {
  const auto data = live.find("data");
  auto record = recordFromData(data == live.end() ? json() : *data);
  if (!record) return record.error();
  memory.record = *std::move(record);
  memory.is_pinned = true;
  memory.children.fill(ChildState::kPresent);
  // Another operator made it, perhaps for other readers.
  if (readersOf(memory.record->defaults) != memory.readers)
    memory.stateOf(Child::kReaders) = ChildState::kUnknown;
  return {};
}

/// Takes the record from the job's ConfigMap, if there is one.
Result<void> readConfigMap(const ObserveParts& parts, const api::TrainingJob& job,
                           JobMemory& memory) {
  const std::string name = childName(job.meta.key.name, job.meta.uid, Child::kConfigMap);
  const kube::Reply reply = parts.client.get(kube::kConfigMaps, {job.meta.key.name_space, name});
  if (!reply && !reply.failure->isNotFound()) {
    return Error{ErrorCode::kUnavailable, reply.failure->message};
  }
  if (reply) {
    const auto meta = api::metaFromJson(*reply.object);
    if (!meta) return meta.error();
    if (meta->controller_uid == job.meta.uid && !meta->deleted) {
      const auto read = recordFromConfigMap(*reply.object, memory);
      return read ? read : read.error().within("ConfigMap " + meta->key.text());
    }
  }
  // There is none, or it is not ours: trying to create it will show which. The others may exist.
  memory.doubtChildren();
  memory.stateOf(Child::kConfigMap) = ChildState::kMissing;
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
void observePods(const ObserveParts& parts, const api::TrainingJob& job, JobMemory& memory,
                 Observed& observed) {
  observed.pods = podsOf(parts, job);
  const TimePoint now = parts.clock.now();
  std::erase_if(memory.new_pods, [&](const NewPod& made) {
    return now >= made.until || hasPod(observed, made.pod->meta.uid);
  });
  for (const NewPod& made : memory.new_pods)
    observed.pods.push_back(made.pod);
  memory.forgetDeletions([&](const std::string& uid) { return hasPod(observed, uid); });
  observed.deleting_uids = memory.deleting_uids;
  observed.forced_uids = memory.forced_uids;
  for (const auto& pod : observed.pods) {
    if (memory.isHeld(deletionOf(pod->meta.uid), now)) observed.held_uids.push_back(pod->meta.uid);
  }
  std::erase_if(memory.gone_pods,
                [&](const GonePod& gone) { return gone.attempt != job.status.attempt; });
  for (const GonePod& gone : memory.gone_pods)
    observed.gone.push_back(gone.slot);
}

/// A child whose name was not free is tried again when its hold has ended.
void retryTakenNames(const api::TrainingJob& job, TimePoint now, JobMemory& memory) {
  for (const Child child : kAllChildren) {
    ChildState& state = memory.stateOf(child);
    const bool is_taken = state == ChildState::kForeign || state == ChildState::kDeleting;
    if (!is_taken || memory.isHeld(kindAndName(job, child), now)) continue;
    state = ChildState::kMissing;
    if (child == Child::kSecret && memory.record) memory.record->secret_number = 0;
  }
}

void observeHolds(const JobMemory& memory, TimePoint now, Observed& observed) {
  const std::string pod_prefix = "pod ";
  for (const auto& [what, hold] : memory.holds) {
    if (hold.refusal && !observed.refusal) observed.refusal = hold.refusal;
    // When the hold has ended, the foreign object is left out, so that the plan creates the pod
    // again.
    if (hold.is_foreign && now < hold.until && what.starts_with(pod_prefix)) {
      observed.foreign_pods.push_back(what.substr(pod_prefix.size()));
    }
  }
}

}  // namespace

Result<void> loadRecord(const ObserveParts& parts, const api::TrainingJob& job, JobMemory& memory) {
  if (job.status.isFinished()) {
    memory.is_loaded = false;  // frees its memory: thousands of jobs may be finished
    memory.record.reset();
    memory.is_pinned = false;
    memory.problem.reset();
    memory.holds.clear();
    memory.failing.clear();
    memory.gone_pods.clear();
    return {};
  }
  if (memory.holds_generation != job.meta.generation) {
    // What was rejected may have been changed.
    memory.holds.clear();
    memory.holds_generation = job.meta.generation;
  }
  memory.readers = readersOf(parts.defaults);
  if (memory.is_loaded && memory.spec_generation == job.meta.generation) return {};
  // A job without a status may still have begun: somebody may have emptied its status.
  const bool is_new = job.status.conditions.empty() && podsOf(parts, job).empty();
  if (!memory.is_loaded && !is_new) {
    const std::string what = kindAndName(job, Child::kConfigMap);
    const TimePoint now = parts.clock.now();
    if (memory.isHeld(what, now)) return {};
    if (auto read = readConfigMap(parts, job, memory); !read) {
      memory.noteFailure(what, {.what = what, .reason = "", .message = read.error().message}, now);
      return read;
    }
    memory.noteAnswer(what);
  }
  readSpec(parts.defaults, job, memory);
  memory.is_loaded = true;
  return {};
}

Observed observe(const ObserveParts& parts, std::shared_ptr<const api::TrainingJob> job,
                 JobMemory& memory) {
  Observed observed;
  const TimePoint now = parts.clock.now();
  observed.is_newest = job->meta.resource_version == memory.newest_version;
  observePods(parts, *job, memory, observed);
  retryTakenNames(*job, now, memory);
  observeHolds(memory, now, observed);
  observed.service = memory.stateOf(Child::kService);
  observed.config_map = memory.stateOf(Child::kConfigMap);
  observed.secret = memory.stateOf(Child::kSecret);
  observed.network_policy = memory.stateOf(Child::kNetworkPolicy);
  observed.readers_policy = memory.stateOf(Child::kReaders);
  observed.readers = memory.readers;
  observed.record = memory.record;
  observed.problem = memory.problem;
  observed.progress = parts.progress.latest(job->meta.key, job->meta.uid, job->status.attempt);
  if (memory.status_written) observed.status_age = now - *memory.status_written;
  observed.running_jobs = parts.running_jobs();
  observed.status_rate = parts.status_rate;
  observed.operator_version = parts.operator_version;
  observed.job = std::move(job);
  return observed;
}

}  // namespace sumac::trainingjob
