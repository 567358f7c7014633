#include "operator/trainingjob/apply/delete_pods.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "operator/control/failpoint.h"
#include "operator/trainingjob/apply/create_object.h"
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
  pass.memory.noteAnswer(deletionOf(pod.uid));
  addOnce(pass.memory.deleting_uids, pod.uid);
  if (pod.force) addOnce(pass.memory.forced_uids, pod.uid);
}

}  // namespace

void deletePods(ApplyPass& pass, const std::vector<DeletePod>& wanted) {
  std::vector<DeletePod> pods;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(pods), [&](const DeletePod& pod) {
    pass.wanted.insert(deletionOf(pod.uid));
    return !pass.memory.isHeld(deletionOf(pod.uid), pass.parts.clock.now());
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
  if (!pass.job.status.isFinished()) pass.memory.doubtChildren();
  failpoint(Failpoint::kAfterPodDeletes);
}

}  // namespace sumac::trainingjob
