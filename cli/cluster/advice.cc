#include "cli/cluster/advice.h"

#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/core/exit_code.h"
#include "cli/cluster/failure_text.h"
#include "cli/cluster/job_columns.h"
#include "cli/cluster/kept.h"
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
  std::string_view text;  // {job} is its name, {sumac} how we are called
};

/// By the reason of Failed=True.
constexpr auto kAfterFailure = std::to_array<Advice>({
    {reasons::kInvalidSpec,
     "Correct the document (`sumac validate FILE` shows each line and its fix), `{sumac} delete "
     "{job}`, and submit it again."},
    {reasons::kBackoffLimitExceeded,
     "Read the last failure below and `{sumac} logs {job}`; fix the cause, then `{sumac} delete "
     "{job}` and submit it again. {resumes}"},
    {reasons::kDeadlineExceeded,
     "Raise or remove runPolicy.activeDeadlineSeconds, then delete the job and submit it again. "
     "{resumes}"},
    {reasons::kPreRunningDeadlineExceeded,
     "Its pods were not ready in time: see the pods and events here. Free resources or raise "
     "runPolicy.preRunningDeadlineSeconds, then delete the job and submit it again."},
    {reasons::kFailedForGood,
     "Fix the cause before you submit it again: bad data, or a loss that is not finite (try a "
     "smaller learningRate)."},
    {reasons::kBadConfiguration,
     "The members cannot run this document: correct it, then delete the job and submit it again. "
     "If a file is not found: pods see only the files of spec.data.volume (docs/data.md)."},
    {reasons::kUsageError,
     "The members reject their command line: check args and command in the pod templates."},
    {reasons::kBrokenInvariant, "This is a bug in Sumac: please report the message below."},
});

/// By the reason of Running=False: why pods wait.
constexpr auto kWhileWaiting = std::to_array<Advice>({
    {"ImagePullBackOff", "The image cannot be pulled: check its name, and imagePullSecrets."},
    {"ErrImagePull", "The image cannot be pulled: check its name, and imagePullSecrets."},
    {"InvalidImageName", "Correct the image's name in the pod template."},
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
    {reasons::kNameTaken,
     "Another object has a name that this job needs: delete that object, or rename the job."},
    {reasons::kForbidden,
     "The operator lacks a right, or a policy forbids the pods: see the message, and the "
     "namespace's Pod Security level."},
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
std::string_view find(const std::array<Advice, size>& table, std::string_view reason) {
  for (const Advice& advice : table) {
    if (advice.reason == reason) return advice.text;
  }
  return {};
}

std::string_view afterFailure(const api::JobStatus& status) {
  const api::Condition* const failed = status.find("Failed");
  const std::string_view known = find(kAfterFailure, failed == nullptr ? "" : failed->reason);
  return known.empty()
             ? "Read the last failure below and `{sumac} logs {job}`; then delete the job "
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
  const Json document = Json::parse(job.document, nullptr, /*allow_exceptions=*/false);
  return sectionIn(sectionIn(document, "spec"), "output");
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
    return "hostPath " + wordIn(host, "path") + " of the lowest worker's node";
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

std::string_view whileWaiting(const api::JobStatus& status) {
  const api::Condition* const running = status.find("Running");
  const std::string_view known = find(kWhileWaiting, running == nullptr ? "" : running->reason);
  return known.empty() ? "Its pods are starting; `{sumac} get {job} -w` shows when they are ready."
                       : known;
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
  if (status.isTrue("Suspended") || job.suspend)
    return "`{sumac} resume {job}` starts its pods again. {resumes}";
  if (status.isTrue("Restarting")) {
    return "Wait: the next attempt is starting. `{sumac} logs -f {job}` follows it.";
  }
  if (status.isTrue("Running")) return "`{sumac} top {job}` and `{sumac} logs -f {job}` follow it.";
  return std::string(whileWaiting(status));
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
  return filled(choose(job, now), job, program);
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
