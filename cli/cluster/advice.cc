#include "cli/cluster/advice.h"

#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/core/exit_code.h"
#include "base/yaml/reader.h"
#include "cli/cluster/failure_text.h"
#include "cli/cluster/job_columns.h"
#include "cli/cluster/kept.h"
#include "job/document/edit.h"
#include "job/document/pod_fields.h"
#include "kube/api/members.h"
#include "kube/api/reasons.h"

namespace sumac::cli {
namespace {

namespace reasons = api::reasons;

using Json = nlohmann::json;

struct Meaning {
  std::string_view name;
  std::string_view if_true;
  std::string_view if_false;
};

constexpr auto kMeanings = std::to_array<Meaning>({
    {"Created", "the spec was accepted", "the operator has not accepted the spec yet"},
    {"Running", "all pods of this attempt were ready and train", "not training now"},
    {"Restarting",
     "all pods are recreated; training continues from the newest checkpoint, without one at step "
     "0",
     "nothing is being restarted"},
    {"Suspended", "no pods run until it is resumed", "not suspended"},
    {"Succeeded", "training is complete", "not complete"},
    {"Failed", "it failed and is not retried", "it has not failed"},
});

struct Advice {
  std::string_view reason;
  std::string_view text;       // {job} is its name, {sumac} how we are called
  std::string_view part = {};  // the message has this; empty: any message
};

constexpr std::string_view kOfAnotherJob =
    "Its folder has the checkpoints of another job: choose another spec.checkpoint.path or "
    "volume.subPath, or empty that folder; then delete the job and submit it again. To continue "
    "the other job, submit it as it was, under its own metadata.name.";

constexpr std::string_view kLimitRange =
    "A LimitRange of the namespace rejects the pods (`kubectl get limitrange`): `{sumac} suspend "
    "{job}`, set requests and limits within it in the pod templates, and `{sumac} resume {job}`.";

/// By the reason of Failed=True and its message; the first that fits.
constexpr auto kAfterFailure = std::to_array<Advice>({
    {reasons::kInvalidSpec,
     "Correct the document (`sumac validate FILE` shows each line and its fix), `{sumac} delete "
     "{job}`, and submit it again."},
    {reasons::kBackoffLimitExceeded,
     "Read the last failure above and `{sumac} logs {job}`; fix the cause, then `{sumac} delete "
     "{job}` and submit it again. {resumes}"},
    {reasons::kDeadlineExceeded,
     "Raise or remove runPolicy.activeDeadlineSeconds, then delete the job and submit it again. "
     "{resumes}"},
    {reasons::kPreRunningDeadlineExceeded,
     "Its pods were not ready in time: see the pods and events here. Free resources or raise "
     "runPolicy.preRunningDeadlineSeconds, then delete the job and submit it again."},
    {reasons::kFailedForGood,
     "Training diverged: `{sumac} delete {job}`, and submit it again with a smaller learningRate, "
     "or with clip.globalNorm.",
     "not finite"},
    {reasons::kFailedForGood,
     "The pods' user may not use the file or folder that the message above names: give its volume "
     "to that user (securityContext.fsGroup or runAsUser of the pod template), then delete the job "
     "and submit it again.",
     "ermission denied"},
    {reasons::kFailedForGood,
     "The volume is mounted read-only: remove readOnly, or choose a folder of another volume; then "
     "delete the job and submit it again.",
     "ead-only"},
    {reasons::kFailedForGood,
     "Fix the cause that the message above names, then `{sumac} delete {job}` and submit it again. "
     "{resumes}"},
    {reasons::kBadConfiguration, kOfAnotherJob, "is of another job or other data"},
    {reasons::kBadConfiguration,
     "The pods see only the files of spec.data.volume, mounted at spec.data.path: correct these "
     "(docs/data.md), then delete the job and submit it again.",
     "data"},
    {reasons::kBadConfiguration,
     "The members cannot run this document: correct what the message above names, then delete the "
     "job and submit it again."},
    {reasons::kUsageError,
     "The members reject their command line: check args and command in the pod templates."},
    {reasons::kBrokenInvariant, "This is a bug in Sumac: please report the message above."},
});

/// By the reason of Running=False and its message, why pods wait; the first that fits.
constexpr auto kWhileWaiting = std::to_array<Advice>({
    {"ImagePullBackOff", "The image cannot be pulled: check its name, and imagePullSecrets."},
    {"ErrImagePull", "The image cannot be pulled: check its name, and imagePullSecrets."},
    {reasons::kCodeMissing,
     "`{sumac} submit` ended before it had sent the sources: call it again with the same document "
     "and --code. If the sources have changed since, `{sumac} delete {job}` first."},
    {"InvalidImageName", "Correct the image's name in the pod template."},
    {"Unschedulable",
     "A claim that the job names does not exist in its namespace: create it, or correct claimName "
     "in a new job (`kubectl get pvc`). The pods start by themselves when it is there.",
     "persistentvolumeclaim"},
    {"Unschedulable",
     "A claim has no volume yet: `kubectl get pvc` and `kubectl describe pvc` say why.",
     "PersistentVolumeClaim"},
    {"Unschedulable",
     "No node has room: lower resources.requests or the number of workers, or add nodes.",
     "Insufficient"},
    {"Unschedulable", "The nodes take no new pods: `kubectl uncordon NODE`, or add nodes.",
     "were unschedulable"},
    {"Unschedulable",
     "No node fits the pods: compare nodeSelector, affinity and tolerations of the pod templates "
     "with `kubectl get nodes --show-labels` and the nodes' taints.",
     "node(s)"},
    {"Unschedulable",
     "No node has room: lower resources.requests or the number of workers, or add nodes."},
    {"SchedulingGated", "A queue holds the pods back and releases them when there is room."},
    {"CreateContainerConfigError",
     "A Secret or ConfigMap that the pod template names is missing: create it."},
    {"CreateContainerError", "The container cannot be created: see the events of its pod."},
    {"CrashLoopBackOff", "An init container fails: `kubectl logs POD -c CONTAINER`."},
    {reasons::kQuotaExceeded,
     "The namespace's quota is used up: raise it, or delete finished jobs."},
    {reasons::kPodRefused,
     "The API server rejects the pods: correct spec.worker.template or spec.server.template while "
     "the job is suspended."},
    {reasons::kRefused,
     "The API server cannot read what the pod templates ask for; most often that is a quantity "
     "of resources, such as 512mi for 512Mi: `{sumac} suspend {job}`, correct the template with "
     "`kubectl edit tjob {job}`, and `{sumac} resume {job}`."},
    {reasons::kDeletionOverdue,
     "A deleted pod still exists: look at its finalizers (`kubectl get pod POD -o yaml`) and at "
     "its "
     "node. The job continues by itself when the pod is gone."},
    {reasons::kRequestFailing,
     "The API server or an admission webhook does not answer: the message above has its words; the "
     "operator tries again by itself."},
    {reasons::kTemplateChanged,
     "To use the changed template, `{sumac} suspend {job}` and `{sumac} resume {job}`; or undo the "
     "change."},
    {reasons::kInvalidTemplate,
     "`{sumac} suspend {job}`, correct the template with `kubectl edit tjob {job}`, and `{sumac} "
     "resume {job}`."},
    {reasons::kNameTaken,
     "Another object has a name that this job needs: delete that object, or rename the job."},
    {reasons::kForbidden, kLimitRange, " usage per "},
    {reasons::kForbidden, kLimitRange, "limit to request ratio"},
    {reasons::kForbidden,
     "The namespace's Pod Security level forbids the pods: correct the pod templates while the job "
     "is suspended, or ask for another namespace.",
     "PodSecurity"},
    {reasons::kForbidden,
     "The operator lacks a right, or a policy forbids the pods: see the message above."},
});

std::string filled(std::string_view pattern, const api::TrainingJob& job,
                   const std::string& program) {
  std::string text(pattern);
  const auto replace = [&text](std::string_view what, const std::string& with) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
      text.replace(at, what.size(), with);
  };
  replace("{resumes}", keptBy(job).checkpoints
                           ? "Training continues from the newest checkpoint."
                           : "Training starts again at step 0: no checkpoint outlived its pods.");
  replace("{job}", job.meta.key.name);
  replace("{sumac}", program);
  return text;
}

template <std::size_t size>
std::string_view find(const std::array<Advice, size>& table, const api::Condition* condition) {
  if (condition == nullptr) return {};
  for (const Advice& advice : table) {
    const bool is_said = condition->message.find(advice.part) != std::string::npos;
    if (advice.reason == condition->reason && is_said) return advice.text;
  }
  return {};
}

std::string_view afterFailure(const api::JobStatus& status) {
  const std::string_view known = find(kAfterFailure, status.find("Failed"));
  return known.empty()
             ? "Read the last failure above and `{sumac} logs {job}`; then delete the job "
               "and submit it again."
             : known;
}

const Json& sectionIn(const Json& object, const char* name) {
  static const Json kNothing = Json::object();
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_object() ? *found : kNothing;
}

std::string wordIn(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? oneLine(found->get<std::string>()) : "";
}

/// spec.output of the job's document.
Json outputOf(const api::TrainingJob& job) {
  return sectionIn(api::memberOf(*job.document, "spec"), "output");
}

/// "persistentVolumeClaim models".
std::string volumeText(const Json& output) {
  const Json& volume = sectionIn(output, "volume");
  if (const Json& claim = sectionIn(volume, "persistentVolumeClaim"); !claim.empty()) {
    return "persistentVolumeClaim " + wordIn(claim, "claimName");
  }
  if (const Json& nfs = sectionIn(volume, "nfs"); !nfs.empty()) {
    return "nfs " + wordIn(nfs, "server") + ":" + wordIn(nfs, "path");
  }
  if (const Json& host = sectionIn(volume, "hostPath"); !host.empty()) {
    return "hostPath " + wordIn(host, "path") + " of worker 0's node";
  }
  if (const Json& csi = sectionIn(volume, "csi"); !csi.empty())
    return "csi " + wordIn(csi, "driver");
  return "the volume that the worker's pod template mounts there";
}

/// Where the model is, or why there is none.
std::string afterSuccess(const api::TrainingJob& job) {
  const Json output = outputOf(job);
  const auto& result = job.status.result;
  if (result && !result->model_path.empty()) {
    return "The model is " + oneLine(result->model_path) + " on " + volumeText(output) +
           "; result.json, metrics.jsonl and curve.svg are beside it. `{sumac} delete {job}` "
           "removes the job and leaves them.";
  }
  const std::string remedy =
      " Give the next job `output: {path: /output, volume: {persistentVolumeClaim: {claimName: "
      "NAME}}}`. `{sumac} delete {job}` removes this one.";
  if (output.empty()) return "No model was kept: the job has no spec.output." + remedy;
  return "The model was deleted with its pod: spec.output has no volume that outlives the pod." +
         remedy;
}

/// What is wrong with the pod templates as far as the document shows it: "spec.worker.template...".
std::string templateFaults(const api::TrainingJob& job) {
  const yaml::Document document = yaml::fromJson(*job.document);
  if (!document.root) return "";
  std::string faults;
  yaml::Node root = *document.root;
  job::forgetPositions(root);
  for (const std::string& warning : job::podFieldWarnings(root, "the job"))
    faults += (faults.empty() ? " Look at this: " : "; ") + warning;
  return faults;
}

/// What holds the job up, as condition Running says it; else what happens `otherwise`.
std::string whileWaiting(const api::JobStatus& status, std::string_view otherwise) {
  const std::string_view known = find(kWhileWaiting, status.find("Running"));
  return std::string(known.empty() ? otherwise : known);
}

/// The operator has said nothing about the job yet.
std::string_view unseen(const api::TrainingJob& job, WallTime now) {
  constexpr auto kPatience = std::chrono::seconds(20);
  if (job.meta.created && now - *job.meta.created < kPatience) {
    return "It is new; the operator starts it within seconds.";
  }
  return "The operator has not seen it: is it running? `kubectl get pods -A -l "
         "app.kubernetes.io/component=operator`";
}

std::string choose(const api::TrainingJob& job, WallTime now) {
  const api::JobStatus& status = job.status;
  if (job.meta.deleted) return "It is being deleted; its pods stop within seconds.";
  if (!job.isManagedByUs()) return "Another controller manages it (spec.managedBy): ask that one.";
  if (status.isTrue("Failed")) return std::string(afterFailure(status));
  if (status.isTrue("Succeeded")) return afterSuccess(job);
  if (status.conditions.empty()) return std::string(unseen(job, now));
  if (status.isTrue("Suspended")) return "`{sumac} resume {job}` starts its pods again. {resumes}";
  if (job.suspend) {
    return whileWaiting(status,
                        "Wait: its pods end; then `{sumac} resume {job}` starts them again. "
                        "{resumes}");
  }
  if (status.isTrue("Running")) return "`{sumac} top {job}` and `{sumac} logs -f {job}` follow it.";
  if (status.isTrue("Restarting")) {
    return whileWaiting(status,
                        "Wait: the next attempt is starting. `{sumac} logs -f {job}` follows it.");
  }
  return whileWaiting(status,
                      "Its pods are starting; `{sumac} get {job} -w` shows when they are ready.");
}

}  // namespace

std::string meaningOf(const api::Condition& condition) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.name != condition.type) continue;
    if (condition.status == api::ConditionStatus::kUnknown) return "not known";
    return std::string(condition.status == api::ConditionStatus::kTrue ? meaning.if_true
                                                                       : meaning.if_false);
  }
  return {};
}

std::string nextStep(const api::TrainingJob& job, WallTime now, const std::string& program) {
  const api::Condition* const running = job.status.find("Running");
  const bool is_refused =
      !job.status.isFinished() && running != nullptr &&
      (running->reason == reasons::kRefused || running->reason == reasons::kPodRefused);
  return filled(choose(job, now), job, program) + (is_refused ? templateFaults(job) : "");
}

std::string exitCodeMeaning(int code) {
  constexpr int kKilled = 137;
  switch (code) {
    case toInt(ExitCode::kDone): return "done";
    case toInt(ExitCode::kFailed): return "failed, and a retry does not help";
    case toInt(ExitCode::kUsage): return "invalid command line";
    case toInt(ExitCode::kResourceFailed): return "storage or memory of its machine failed";
    case toInt(ExitCode::kLostPeers): return "lost another member: see why that one ended";
    case toInt(ExitCode::kBadConfiguration): return "the document cannot be run";
    case toInt(ExitCode::kBrokenInvariant): return "a bug in Sumac";
    case toInt(ExitCode::kStopped): return "asked to stop";
    case kKilled: return "killed, often for using too much memory";
    default: return {};
  }
}

}  // namespace sumac::cli
