#include <algorithm>
#include <iterator>

#include "operator/trainingjob/state/names.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"
#include "tests/unit/operator/trainingjob/simulated_cluster.h"

// The nodes of a SimulatedCluster, whose room may be limited: the lives and deaths of pods.

namespace sumac::trainingjob {

api::Pod* SimulatedCluster::pick(int which) {
  if (pods_.empty()) return nullptr;
  auto found = pods_.begin();
  std::advance(found, which % static_cast<int>(pods_.size()));
  return &found->second;
}

void SimulatedCluster::noteInjection(const api::Pod& pod, bool Injected::*what) {
  Injected& injected = injected_[pod.attempt];
  const bool is_first =
      !injected.own && !injected.disruption && !injected.lost_node && !injected.for_good;
  const api::JobStatus& seen = status();
  if (is_first) injected.has_run = seen.isTrue("Running") && seen.attempt == pod.attempt;
  injected.*what = true;
  noteLoss(pod);
}

/// Whether the others go on without this pod: members may change, have begun, and a worker lives.
bool SimulatedCluster::trainsOn(const api::Pod& lost) const {
  if (!kind_.changes_members || status().attempt != lost.attempt || !status().isTrue("Running"))
    return false;
  return std::any_of(pods_.begin(), pods_.end(), [&](const auto& entry) {
    const api::Pod& pod = entry.second;
    return pod.slot.role == Role::kWorker && pod.meta.uid != lost.meta.uid &&
           pod.attempt == lost.attempt && isAlive(pod) && !pod.meta.deleted && !isLost(pod);
  });
}

int SimulatedCluster::livingWorkers() const {
  return static_cast<int>(std::ranges::count_if(pods_, [&](const auto& entry) {
    const api::Pod& pod = entry.second;
    return pod.slot.role == Role::kWorker && pod.attempt == status().attempt && isAlive(pod) &&
           !isLost(pod);
  }));
}

void SimulatedCluster::noteLoss(const api::Pod& lost) {
  if (!trainsOn(lost)) broken_.insert(lost.attempt);
}

void SimulatedCluster::finishProcess(api::Pod& pod, int code, const std::string& message) {
  pod.is_running = false;
  pod.is_ready = false;
  pod.phase = code == 0 ? api::PodPhase::kSucceeded : api::PodPhase::kFailed;
  pod.terminated = api::Termination{
      .exit_code = code, .signal = 0, .reason = "", .message = message, .finished = now_};
}

/// Whether the pod has a node.
bool SimulatedCluster::schedule(api::Pod& pod) {
  if (pod.is_scheduled) return true;
  const auto placed = std::count_if(pods_.begin(), pods_.end(), [](const auto& entry) {
    return entry.second.is_scheduled && !entry.second.terminated;
  });
  if (placed < room_) {
    pod.is_scheduled = true;
    pod.unscheduled_reason.clear();
  } else if (pod.unscheduled_reason.empty()) {
    pod.unscheduled_reason = "Unschedulable";
    publish(pod.meta.key.name);
  }
  return pod.is_scheduled;
}

/// Enough for the job to run, if only with the size that ran last. One that is resumed waits for
/// the size that it asks for.
void SimulatedCluster::makeRoom() {
  const api::JobStatus& now = status();
  const auto last =
      now.isTrue("Running") ? std::optional(now.worker.desired) : now.scale.last_running;
  const bool is_resumed = now.state == "Suspended" || now.state == "Suspending";
  const auto isTooSmall = [&](int pods) {
    return !last || is_resumed || pods < *last + kind_.servers;
  };
  if (isTooSmall(room_)) room_ = kRoomy;
  // Others wait for a quota as long as it takes, and one that cannot be read is asked for ever.
  const bool follows_quota =
      kind_.reads_quotas && kind_.changes_members && jobs_.back().autoscaling.has_value();
  if (isTooSmall(quota_) || !follows_quota) quota_ = kRoomy;
}

void SimulatedCluster::startPod(int which) {
  api::Pod* pod = pick(which);
  if (pod == nullptr || pod->is_running || pod->terminated || pod->meta.deleted) return;
  if (!schedule(*pod)) return;
  pod->is_running = true;
  pod->is_ready = true;
  pod->phase = api::PodPhase::kRunning;
  publish(pod->meta.key.name);
}

void SimulatedCluster::endPod(int which) {
  api::Pod* pod = pick(which);
  if (pod == nullptr || isLost(*pod)) return;
  const std::string name = pod->meta.key.name;
  if (pod->meta.deleted && (pod->terminated || !pod->is_running)) {
    pods_.erase(name);
    publish(name);
    return;
  }
  if (!isAlive(*pod)) return;
  if (complete_.count(pod->attempt) > 0) {
    finishProcess(*pod, 0, kResult);
  } else if (pod->meta.deleted) {
    finishProcess(*pod, 143, "");
    noteLoss(*pod);
  } else if (broken_.count(pod->attempt) > 0) {
    finishProcess(*pod, 75, "");
  } else {
    return;
  }
  publish(name);
}

void SimulatedCluster::crash(int which, int code) {
  api::Pod* pod = pick(which);
  if (pod == nullptr || !isAlive(*pod) || isLost(*pod) || pod->meta.deleted) return;
  if (broken_.count(pod->attempt) > 0 || complete_.count(pod->attempt) > 0) return;
  const bool for_good = code == 1 || code == 2 || code == 78;
  noteInjection(*pod, for_good ? &Injected::for_good : &Injected::own);
  finishProcess(*pod, code, "");
  publish(pod->meta.key.name);
}

void SimulatedCluster::evict(int which) {
  api::Pod* pod = pick(which);
  if (pod == nullptr || pod->terminated || isLost(*pod) || pod->meta.deleted) return;
  if (complete_.count(pod->attempt) > 0) return;
  noteInjection(*pod, &Injected::disruption);
  finishProcess(*pod, 137, "");
  pod->reason = "Evicted";
  pod->disruption = "TerminationByKubelet";
  publish(pod->meta.key.name);
}

void SimulatedCluster::loseNode(int which) {
  api::Pod* pod = pick(which);
  if (pod == nullptr || !isAlive(*pod) || complete_.count(pod->attempt) > 0) return;
  if (lost_.insert(pod->meta.uid).second) return noteInjection(*pod, &Injected::lost_node);
  if (pod->meta.deleted) return;
  pod->is_ready = false;  // later, the node controller says so
  pod->disruption = "DeletionByTaintManager";
  pod->meta.deleted = now_ + std::chrono::seconds(kGraceSeconds);
  pod->grace_seconds = kGraceSeconds;
  publish(pod->meta.key.name);
}

void SimulatedCluster::train(int steps) {
  if (broken_.count(status().attempt) > 0) return;
  constexpr int kParts = 4;
  const int workers = std::max(1, livingWorkers());
  const int most_parts = (kParts + workers - 1) / workers;
  steps_ += steps;
  compute_seconds_ += 0.1 * steps * most_parts;
  exchange_seconds_ += 0.002 * steps * workers;
}

void SimulatedCluster::completeTraining() {
  if (pods_.empty() || broken_.count(status().attempt) > 0) return;
  const auto runs = [&](const auto& entry) {
    return isAlive(entry.second) && entry.second.attempt == status().attempt;
  };
  const auto& leader = pods_.find(podName("j", slot0()));
  const bool all_run = kind_.changes_members
                           ? status().isTrue("Running") && leader != pods_.end() && runs(*leader)
                           : std::all_of(pods_.begin(), pods_.end(), runs);
  if (all_run) complete_.insert(status().attempt);
}

bool SimulatedCluster::kubelets() {
  const std::size_t before = events_.size();
  for (int i = 0; i < static_cast<int>(pods_.size()); ++i) {
    startPod(i);
    api::Pod* pod = pick(i);
    if (pod != nullptr && isLost(*pod)) loseNode(i);
    endPod(i);
  }
  return events_.size() != before;
}

}  // namespace sumac::trainingjob
