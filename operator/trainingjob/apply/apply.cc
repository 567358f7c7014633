#include "operator/trainingjob/apply/apply.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "kube/api/json.h"
#include "operator/control/failpoint.h"
#include "operator/trainingjob/apply/apply_pass.h"
#include "operator/trainingjob/apply/create_object.h"
#include "operator/trainingjob/apply/creator.h"
#include "operator/trainingjob/state/actions.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

using control::Failpoint;
using control::failpoint;

struct Deletion {
  bool is_done = false;  // the pod is gone or will be
  std::optional<Refusal> failure = {};
};

std::string nameOf(const DeletePod& pod) {
  return "deletion of " + kindAndName(kube::kPods, pod.name);
}

void addOnce(std::vector<std::string>& uids, const std::string& uid) {
  if (std::find(uids.begin(), uids.end(), uid) == uids.end()) uids.push_back(uid);
}

Deletion deletePod(const ApplyPass& pass, const DeletePod& pod) {
  if (pass.mustNotSend()) return {};
  kube::DeleteOptions options;
  options.uid = pod.uid;
  if (pod.force) options.grace_seconds = 0;
  const kube::Reply reply =
      pass.parts.client.remove(kube::kPods, {pass.job.meta.key.name_space, pod.name}, options);
  failpoint(Failpoint::kAfterPodDelete);
  // A conflict: another pod, with another uid, has the name now, so ours is gone.
  if (reply || reply.failure->isNotFound() || reply.failure->isConflict()) return {.is_done = true};
  return {.is_done = false, .failure = refusalOf(nameOf(pod), *reply.failure)};
}

void evaluate(ApplyPass& pass, const DeletePod& pod, const Deletion& deletion) {
  if (deletion.failure) return pass.noteFailure(deletionOf(pod.uid), *deletion.failure);
  if (!deletion.is_done) {
    pass.result.has_failed = true;
    return;
  }
  pass.notes.noteAnswer(deletionOf(pod.uid));
  addOnce(pass.notes.deleting_uids, pod.uid);
  if (pod.force) addOnce(pass.notes.forced_uids, pod.uid);
}

/// Deletes pods of one job in parallel, and remembers those that are gone or will be.
void deletePods(ApplyPass& pass, const std::vector<DeletePod>& wanted) {
  std::vector<DeletePod> pods;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(pods), [&](const DeletePod& pod) {
    pass.wanted.insert(deletionOf(pod.uid));
    return !pass.notes.isHeld(deletionOf(pod.uid), pass.parts.clock.now());
  });
  if (pods.empty()) return;
  failpoint(Failpoint::kBeforePodDelete);
  std::vector<Deletion> deletions(pods.size());  // each written by one task
  std::vector<Executor::Task> tasks;
  for (std::size_t i = 0; i < pods.size(); ++i)
    tasks.emplace_back([&, i] { deletions[i] = deletePod(pass, pods[i]); });
  pass.parts.executor.runAll(tasks);
  for (std::size_t i = 0; i < pods.size(); ++i)
    evaluate(pass, pods[i], deletions[i]);
  // Somebody may have deleted a child that the next attempt mounts.
  if (!pass.job.status.isFinished()) pass.notes.doubtChildren();
  failpoint(Failpoint::kAfterPodDeletes);
}

using control::Failpoint;
using control::failpoint;

template <typename Kind>
std::vector<Kind> actionsOf(const Decision& decision) {
  std::vector<Kind> chosen;
  for (const Action& action : decision.actions) {
    if (const auto* of_kind = std::get_if<Kind>(&action)) chosen.push_back(*of_kind);
  }
  return chosen;
}

/// What the API server said about the pod of a member.
struct FoundPod {
  bool is_answered = false;
  std::shared_ptr<const api::Pod> pod = nullptr;  // null if it is gone
  std::optional<Refusal> failure = {};            // neither this nor an answer: nothing was sent
};

std::string nameOf(const ApplyPass& pass, const LookUpPod& wanted) {
  return kindAndName(kube::kPods, podName(pass.job.meta.key.name, wanted.slot));
}

FoundPod lookUp(const ApplyPass& pass, const LookUpPod& wanted) {
  if (pass.mustNotSend()) return {};
  const api::ObjectMeta& job = pass.job.meta;
  const std::string what = nameOf(pass, wanted);
  const kube::Reply reply =
      pass.parts.client.get(kube::kPods, {job.key.name_space, podName(job.key.name, wanted.slot)});
  if (!reply && reply.failure->isNotFound()) return {.is_answered = true};
  if (!reply) return {.failure = refusalOf(what, *reply.failure)};
  auto pod = api::podFromJson(*reply.object);
  if (!pod) return {.failure = Refusal{.what = what, .reason = "", .message = pod.error().message}};
  const bool is_member = pod->is_ours && pod->meta.controller_uid == job.uid &&
                         pod->attempt == wanted.attempt && pod->slot == wanted.slot;
  if (!is_member) return {.is_answered = true};  // another pod has its name
  return {.is_answered = true, .pod = std::make_shared<const api::Pod>(*std::move(pod))};
}

void evaluate(ApplyPass& pass, const LookUpPod& wanted, const FoundPod& found) {
  if (found.failure) return pass.noteFailure(nameOf(pass, wanted), *found.failure);
  if (!found.is_answered) {
    pass.result.has_failed = true;
    return;
  }
  pass.notes.noteAnswer(nameOf(pass, wanted));
  pass.notes.noteLookUp(wanted.slot, wanted.attempt, found.pod, pass.parts.clock.now());
}

void lookUpPods(ApplyPass& pass, const std::vector<LookUpPod>& wanted) {
  std::vector<LookUpPod> pods;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(pods), [&](const LookUpPod& pod) {
    pass.wanted.insert(nameOf(pass, pod));
    return !pass.notes.isHeld(nameOf(pass, pod), pass.parts.clock.now());
  });
  if (pods.empty()) return;
  std::vector<FoundPod> found(pods.size());  // each written by one task
  std::vector<Executor::Task> tasks;
  for (std::size_t i = 0; i < pods.size(); ++i)
    tasks.emplace_back([&, i] { found[i] = lookUp(pass, pods[i]); });
  pass.parts.executor.runAll(tasks);
  pass.result.is_outdated = true;
  for (std::size_t i = 0; i < pods.size(); ++i)
    evaluate(pass, pods[i], found[i]);
}

/// Gets the job from the API server and puts it into the cache. A job that is gone, or has another
/// uid by now, is left to the watch.
void lookUpJob(ApplyPass& pass) {
  const api::ObjectMeta& meta = pass.job.meta;
  const kube::Reply reply = pass.parts.client.get(kube::kTrainingJobs, meta.key);
  if (!reply && reply.failure->isNotFound()) return;
  auto job = reply
                 ? api::jobFromJson(*reply.object)
                 : Result<api::TrainingJob>(Error{ErrorCode::kUnavailable, reply.failure->message});
  if (!job) {
    pass.parts.log.warn("the job cannot be looked up",
                        {{"job", meta.key.text()}, {"error", job.error().message}});
    pass.result.has_failed = true;
    return;
  }
  if (job->meta.uid != meta.uid) return;
  pass.notes.newest_version = job->meta.resource_version;
  pass.result.newest = std::make_shared<const api::TrainingJob>(*std::move(job));
  pass.parts.jobs.overlay(pass.result.newest);
}

void deleteJob(ApplyPass& pass) {
  const api::ObjectMeta& meta = pass.job.meta;
  kube::DeleteOptions options;
  options.uid = meta.uid;
  const kube::Reply reply = pass.parts.client.remove(kube::kTrainingJobs, meta.key, options);
  if (reply || reply.failure->isNotFound() || reply.failure->isConflict()) return;
  pass.parts.log.warn("job not deleted after its time to live",
                      {{"job", meta.key.text()}, {"error", reply.failure->message}});
  pass.result.has_failed = true;
}

void writeStatus(ApplyPass& pass, const api::JobStatus& status) {
  const api::ObjectKey& key = pass.job.meta.key;
  failpoint(Failpoint::kBeforeStatusWrite);
  const kube::Reply reply = pass.parts.client.replace(kube::kTrainingJobs, key, "status",
                                                      api::statusUpdate(pass.job, status));
  failpoint(Failpoint::kAfterStatusWrite);
  if (!reply) {
    pass.result.has_failed = true;
    if (reply.failure->isConflict()) {
      // Somebody changed the job meanwhile; the cache will show it.
      pass.parts.log.debug("status is out of date", {{"job", key.text()}});
    } else if (!reply.failure->isNotFound()) {
      pass.parts.log.warn("status not written",
                          {{"job", key.text()}, {"error", reply.failure->message}});
    }
    return;
  }
  pass.notes.status_written = pass.parts.clock.now();
  if (status.attempt != pass.job.status.attempt) pass.notes.forgetPodHolds();
  auto written = api::jobFromJson(*reply.object);
  if (!written) {
    pass.parts.log.warn("status was written, and the answer cannot be read",
                        {{"job", key.text()}, {"error", written.error().message}});
    pass.result.has_failed = true;
    return;
  }
  pass.notes.newest_version = written->meta.resource_version;  // an outdated one is a conflict
  pass.result.written = std::make_shared<const api::TrainingJob>(*std::move(written));
  pass.parts.jobs.overlay(pass.result.written);
}

void emitEvents(const ApplyPass& pass, const std::vector<kube::EventNote>& notes) {
  if (notes.empty()) return;
  const kube::EventTarget target{.api_version = std::string(kube::kTrainingJobs.group_version),
                                 .kind = std::string(kube::kTrainingJobs.kind),
                                 .key = pass.job.meta.key,
                                 .uid = pass.job.meta.uid};
  for (const kube::EventNote& note : notes)
    pass.parts.events.emit(target, note);
  failpoint(Failpoint::kAfterEvents);
}

}  // namespace

Applied apply(const ApplyParts& parts, const std::stop_token& stop, JobNotes& notes,
              const api::TrainingJob& job, const Decision& decision) {
  ApplyPass pass{.parts = parts,
                 .stop = stop,
                 .notes = notes,
                 .job = job,
                 .begun = parts.clock.now(),
                 .result = {}};
  // Its look-up comes before each decision, so none asks for it.
  if (!notes.is_loaded) pass.wanted.insert(kindAndName(job, Child::kConfigMap));
  if (!actionsOf<LookUpJob>(decision).empty()) {
    lookUpJob(pass);
    return std::move(pass.result);
  }
  lookUpPods(pass, actionsOf<LookUpPod>(decision));
  if (pass.isOver()) return std::move(pass.result);
  Creator creator(pass);
  const bool has_children = creator.createChildren(actionsOf<CreateChild>(decision));
  if (has_children && !pass.isOver()) creator.createPods(actionsOf<CreatePod>(decision));
  if (!pass.isOver()) deletePods(pass, actionsOf<DeletePod>(decision));
  if (!pass.isOver() && !actionsOf<DeleteJob>(decision).empty()) deleteJob(pass);
  if (!pass.isOver() && decision.status) writeStatus(pass, *decision.status);
  if (!pass.isOver()) emitEvents(pass, decision.events);
  if (!pass.isOver()) creator.forgetOldHolds();
  if (pass.mustNotSend()) pass.result.has_failed = true;
  return std::move(pass.result);
}

}  // namespace sumac::trainingjob
