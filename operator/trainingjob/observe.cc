#include "operator/trainingjob/observe.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/api/json.h"
#include "operator/trainingjob/create_object.h"
#include "operator/trainingjob/names.h"

namespace sumac::trainingjob {
namespace {

using nlohmann::json;

void recordFromSpec(const Defaults& defaults, const api::TrainingJob& job, JobMemory& memory) {
  memory.record.reset();
  memory.invalid_spec.clear();
  memory.record_generation = job.meta.generation;
  auto made = makeRecord(job, defaults);
  if (made) {
    memory.record = *std::move(made);
  } else {
    memory.invalid_spec = made.error().message;
  }
}

/// The ConfigMap is made last: where it is ours, all children are there.
Result<void> recordFromConfigMap(const json& live, JobMemory& memory) {
  const auto data = live.find("data");
  auto record = recordFromData(data == live.end() ? json() : *data);
  if (!record) return record.error();
  memory.record = *std::move(record);
  memory.children.fill(ChildState::kPresent);
  return {};
}

Result<void> readConfigMap(const ReconcilerParts& parts, const Defaults& defaults,
                           const api::TrainingJob& job, JobMemory& memory) {
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
  // None, or not ours: creating it will show whose it is.
  recordFromSpec(defaults, job, memory);
  return {};
}

bool hasPod(const Observed& observed, const std::string& uid) {
  return std::any_of(observed.pods.begin(), observed.pods.end(),
                     [&](const auto& pod) { return pod->meta.uid == uid; });
}

/// The cache's pods and those that we made and it does not show yet: they would be made again.
void observePods(const ReconcilerParts& parts, const api::TrainingJob& job, JobMemory& memory,
                 Observed& observed) {
  observed.pods = parts.pods.ownedBy(job.meta.uid);
  const TimePoint now = parts.clock.now();
  std::erase_if(memory.new_pods, [&](const NewPod& made) {
    return now >= made.until || hasPod(observed, made.pod->meta.uid);
  });
  for (const NewPod& made : memory.new_pods)
    observed.pods.push_back(made.pod);
  std::erase_if(memory.deleting_uids,
                [&](const std::string& uid) { return !hasPod(observed, uid); });
  observed.deleting_uids = memory.deleting_uids;
}

/// Of what is in the way of a child: after its time, the plan is to ask for the child again.
void lookAgain(const api::TrainingJob& job, TimePoint now, JobMemory& memory) {
  for (const Child child : kAllChildren) {
    ChildState& state = memory.stateOf(child);
    const bool is_in_the_way = state == ChildState::kForeign || state == ChildState::kGoing;
    if (is_in_the_way && !memory.isHeld(whatIs(job, child), now)) state = ChildState::kMissing;
  }
}

void observeHolds(const JobMemory& memory, TimePoint now, Observed& observed) {
  const std::string pod_prefix = "pod ";
  for (const auto& [what, hold] : memory.holds) {
    if (hold.refusal && !observed.refusal) observed.refusal = hold.refusal;
    // After its time a foreign object is left out, so that the plan asks for the pod again.
    if (hold.is_foreign && now < hold.until && what.starts_with(pod_prefix)) {
      observed.foreign_pods.push_back(what.substr(pod_prefix.size()));
    }
  }
}

}  // namespace

Result<void> loadRecord(const ReconcilerParts& parts, const Defaults& defaults,
                        const api::TrainingJob& job, JobMemory& memory) {
  if (job.status.isFinished()) {
    memory.is_loaded = false;  // and given back: thousands of jobs may be finished
    memory.record.reset();
    memory.holds.clear();
    return {};
  }
  if (memory.holds_generation != job.meta.generation) {
    // Whatever was refused may have been changed.
    memory.holds.clear();
    memory.holds_generation = job.meta.generation;
  }
  if (!memory.is_loaded) {
    if (job.status.conditions.empty()) {
      recordFromSpec(defaults, job, memory);
    } else if (auto read = readConfigMap(parts, defaults, job, memory); !read) {
      return read;
    }
    memory.is_loaded = true;
    return {};
  }
  const bool is_fixed = memory.stateOf(Child::kConfigMap) == ChildState::kPresent;
  if (!is_fixed && memory.record_generation != job.meta.generation) {
    recordFromSpec(defaults, job, memory);
  }
  return {};
}

Observed observe(const ReconcilerParts& parts, const ReconcilerOptions& options,
                 std::shared_ptr<const api::TrainingJob> job, JobMemory& memory) {
  Observed observed;
  const TimePoint now = parts.clock.now();
  observePods(parts, *job, memory, observed);
  lookAgain(*job, now, memory);
  observeHolds(memory, now, observed);
  observed.service = memory.stateOf(Child::kService);
  observed.config_map = memory.stateOf(Child::kConfigMap);
  observed.secret = memory.stateOf(Child::kSecret);
  observed.network_policy = memory.stateOf(Child::kNetworkPolicy);
  observed.record = memory.record;
  observed.invalid_spec = memory.invalid_spec;
  observed.progress = parts.progress.latest(job->meta.key, job->meta.uid, job->status.attempt);
  observed.running_jobs = parts.running_jobs();
  observed.status_rate = options.status_rate;
  observed.operator_version = options.operator_version;
  observed.job = std::move(job);
  return observed;
}

}  // namespace sumac::trainingjob
