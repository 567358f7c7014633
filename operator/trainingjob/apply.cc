#include "operator/trainingjob/apply.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/api/json.h"
#include "operator/control/failpoint.h"

namespace sumac::trainingjob {
namespace {

using control::Failpoint;
using control::failpoint;

template <typename Kind>
std::vector<Kind> actionsOf(const Plan& plan) {
  std::vector<Kind> chosen;
  for (const Action& action : plan.actions) {
    if (const auto* of_kind = std::get_if<Kind>(&action)) chosen.push_back(*of_kind);
  }
  return chosen;
}

}  // namespace

Apply::Apply(const ReconcilerParts& parts, Executor& executor, const std::stop_token& stop,
             JobMemory& memory)
    : parts_(parts), executor_(executor), stop_(stop), memory_(memory), begun_(parts.clock.now()) {}

bool Apply::mustNotSend() const {
  return stop_.stop_requested() || parts_.clock.now() - begun_ >= kLongest;
}

bool Apply::isOver() const {
  return applied_.has_failed || applied_.was_refused || mustNotSend();
}

Applied Apply::run(const api::TrainingJob& job, const Plan& plan) {
  const bool has_children = createChildren(job, actionsOf<CreateChild>(plan));
  if (has_children && !isOver()) createPods(job, actionsOf<CreatePod>(plan));
  if (!isOver()) deletePods(job, actionsOf<DeletePod>(plan));
  if (!isOver() && !actionsOf<DeleteJob>(plan).empty()) deleteJob(job);
  if (!isOver() && plan.status) writeStatus(job, *plan.status);
  if (!isOver()) emitEvents(job, plan.events);
  if (!isOver()) forgetOldHolds();
  if (mustNotSend()) applied_.has_failed = true;
  return std::move(applied_);
}

void Apply::deletePods(const api::TrainingJob& job, const std::vector<DeletePod>& pods) {
  if (pods.empty()) return;
  failpoint(Failpoint::kBeforePodDelete);
  std::vector<char> is_gone(pods.size(), 0);  // each written by one task
  std::vector<std::function<void()>> tasks;
  for (std::size_t i = 0; i < pods.size(); ++i)
    tasks.emplace_back([&, i] { is_gone[i] = deletePod(job, pods[i]) ? 1 : 0; });
  executor_.runAll(tasks);
  auto& deleting = memory_.deleting_uids;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (is_gone[i] == 0) {
      applied_.has_failed = true;
    } else if (std::find(deleting.begin(), deleting.end(), pods[i].uid) == deleting.end()) {
      deleting.push_back(pods[i].uid);
    }
  }
  // Somebody may have deleted what the next attempt mounts: it is created, or found, once more.
  if (!job.status.isFinished()) memory_.children.fill(ChildState::kMissing);
  failpoint(Failpoint::kAfterPodDeletes);
}

bool Apply::deletePod(const api::TrainingJob& job, const DeletePod& pod) const {
  if (mustNotSend()) return false;
  kube::DeleteOptions options;
  options.uid = pod.uid;
  if (pod.force) options.grace_seconds = 0;
  const kube::Reply reply =
      parts_.client.remove(kube::kPods, {job.meta.key.name_space, pod.name}, options);
  failpoint(Failpoint::kAfterPodDelete);
  // A conflict: what has the name now has another uid, and ours is gone.
  if (reply || reply.failure->isNotFound() || reply.failure->isConflict()) return true;
  parts_.log.warn(
      "pod not deleted",
      {{"job", job.meta.key.text()}, {"pod", pod.name}, {"error", reply.failure->message}});
  return false;
}

void Apply::deleteJob(const api::TrainingJob& job) {
  kube::DeleteOptions options;
  options.uid = job.meta.uid;
  const kube::Reply reply = parts_.client.remove(kube::kTrainingJobs, job.meta.key, options);
  if (reply || reply.failure->isNotFound() || reply.failure->isConflict()) return;
  parts_.log.warn("job not deleted after its time to live",
                  {{"job", job.meta.key.text()}, {"error", reply.failure->message}});
  applied_.has_failed = true;
}

void Apply::writeStatus(const api::TrainingJob& job, const api::JobStatus& status) {
  failpoint(Failpoint::kBeforeStatusWrite);
  const kube::Reply reply = parts_.client.replace(kube::kTrainingJobs, job.meta.key, "status",
                                                  api::statusUpdate(job, status));
  failpoint(Failpoint::kAfterStatusWrite);
  if (!reply) {
    applied_.has_failed = true;
    if (reply.failure->isConflict()) {
      // Somebody changed the job meanwhile; the cache will show it.
      parts_.log.debug("status is out of date", {{"job", job.meta.key.text()}});
    } else if (!reply.failure->isNotFound()) {
      parts_.log.warn("status not written",
                      {{"job", job.meta.key.text()}, {"error", reply.failure->message}});
    }
    return;
  }
  auto written = api::jobFromJson(*reply.object);
  if (!written) {
    parts_.log.warn("status was written, and the answer cannot be read",
                    {{"job", job.meta.key.text()}, {"error", written.error().message}});
    applied_.has_failed = true;
    return;
  }
  applied_.written = std::make_shared<const api::TrainingJob>(*std::move(written));
  parts_.jobs.overlay(applied_.written);
}

void Apply::emitEvents(const api::TrainingJob& job, const std::vector<kube::EventNote>& notes) {
  if (notes.empty()) return;
  const kube::EventTarget target{.api_version = std::string(kube::kTrainingJobs.group_version),
                                 .kind = std::string(kube::kTrainingJobs.kind),
                                 .key = job.meta.key,
                                 .uid = job.meta.uid};
  for (const kube::EventNote& note : notes)
    parts_.events.emit(target, note);
  failpoint(Failpoint::kAfterEvents);
}

/// What was held back and is no longer wanted when its time is over.
void Apply::forgetOldHolds() {
  const TimePoint now = parts_.clock.now();
  std::erase_if(memory_.holds, [&](const auto& entry) {
    return now >= entry.second.until && !asked_.contains(entry.first);
  });
}

}  // namespace sumac::trainingjob
