#include "cli/cluster/advice.h"

#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/cluster/failure_text.h"
#include "cli/cluster/job_columns.h"
#include "common/api/reasons.h"
#include "common/base/exit_code.h"

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
    {"Restarting", "a failure ended the last attempt; the next goes on from the newest checkpoint",
     "nothing is being restarted"},
    {"Suspended", "no pods run; resume it to go on from the newest checkpoint", "not suspended"},
    {"Succeeded", "training is complete", "not complete"},
    {"Failed", "it ended for good and is not tried again", "it has not failed"},
});

struct Advice {
  std::string_view reason;
  std::string_view text;  // {job} is its name, {sumac} how we are called
};

/// By the reason of Failed=True.
constexpr auto kAfterFailure = std::to_array<Advice>({
    {reasons::kInvalidSpec,
     "Correct the document (`sumac validate FILE` names line and fix), `{sumac} delete {job}`, and "
     "submit it again."},
    {reasons::kBackoffLimitExceeded,
     "Read why it failed below, and `{sumac} logs {job}`; fix the cause, then `{sumac} delete "
     "{job}` and submit it again: it goes on from the newest checkpoint of its volume."},
    {reasons::kDeadlineExceeded,
     "Raise or remove runPolicy.activeDeadlineSeconds, then delete and submit it again."},
    {reasons::kPreRunningDeadlineExceeded,
     "Its pods did not become ready in time: see the pods and events here; then raise "
     "runPolicy.preRunningDeadlineSeconds or give it room, delete and submit it again."},
    {reasons::kFailedForGood,
     "Starting again does not help before the cause is fixed: bad data, a full disk, or a loss "
     "that is not finite (a smaller learningRate)."},
    {reasons::kBadConfiguration,
     "The members cannot run this document: correct it, then delete and submit it again. Files "
     "that "
     "are not found: the pods have those of spec.data.volume only (docs/data.md)."},
    {reasons::kUsageError,
     "The members refuse their command line: look at args and command in the pod templates."},
    {reasons::kBrokenInvariant, "This is a bug of Sumac's: please report the message below."},
});

/// By the reason of Running=False: why pods wait.
constexpr auto kWhileWaiting = std::to_array<Advice>({
    {"ImagePullBackOff", "The image cannot be pulled: check its name, and imagePullSecrets."},
    {"ErrImagePull", "The image cannot be pulled: check its name, and imagePullSecrets."},
    {"InvalidImageName", "Correct the image's name in the pod template."},
    {"Unschedulable",
     "No node has room: lower resources.requests or the number of workers, or add nodes."},
    {"SchedulingGated", "A queue holds the pods back; it lets them go when there is room."},
    {"CreateContainerConfigError",
     "A Secret or ConfigMap that the pod template names is missing: create it."},
    {"CreateContainerError", "The container cannot be made: see the events of its pod."},
    {"CrashLoopBackOff", "An init container fails: `kubectl logs POD -c CONTAINER`."},
    {reasons::kQuotaExceeded,
     "The namespace's quota is used up: raise it, or delete what is finished."},
    {reasons::kPodRefused,
     "The API server refuses the pods: correct spec.worker.template or "
     "spec.server.template while the job is suspended."},
    {reasons::kNameTaken,
     "Another object has a name that this job needs: delete that, or rename the job."},
    {reasons::kForbidden,
     "The operator or a policy forbids the pods: see the message, and the namespace's "
     "Pod Security level."},
});

std::string filled(std::string_view pattern, const std::string& job, const std::string& program) {
  std::string text(pattern);
  const auto replace = [&text](std::string_view what, const std::string& with) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
      text.replace(at, what.size(), with);
  };
  replace("{job}", job);
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
             ? "Read why below, and `{sumac} logs {job}`; then delete and submit it again."
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
    return "hostPath " + wordIn(host, "path") + " of the first worker's node";
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
  return "The model went with its pod: spec.output has no volume that outlives the pod." + remedy;
}

std::string_view whileWaiting(const api::JobStatus& status) {
  const api::Condition* const running = status.find("Running");
  const std::string_view known = find(kWhileWaiting, running == nullptr ? "" : running->reason);
  return known.empty() ? "Its pods start; `{sumac} get {job} -w` shows when they are ready."
                       : known;
}

/// The operator has said nothing about the job yet.
std::string_view unseen(const api::TrainingJob& job, WallTime now) {
  constexpr auto kPatience = std::chrono::seconds(20);
  if (job.meta.created && now - *job.meta.created < kPatience) {
    return "It is new; the operator takes it up within seconds.";
  }
  return "The operator has not looked at it: is it running? `kubectl get pods -A -l "
         "app.kubernetes.io/component=operator`";
}

std::string choose(const api::TrainingJob& job, WallTime now) {
  const api::JobStatus& status = job.status;
  if (job.meta.deleted) return "It is being deleted; its pods stop within seconds.";
  if (!job.isManagedByUs()) return "Another controller manages it (spec.managedBy): look there.";
  if (status.isTrue("Failed")) return std::string(afterFailure(status));
  if (status.isTrue("Succeeded")) return afterSuccess(job);
  if (status.conditions.empty()) return std::string(unseen(job, now));
  if (status.isTrue("Suspended") || job.suspend) return "`{sumac} resume {job}` goes on with it.";
  if (status.isTrue("Restarting")) {
    return "Wait: the next attempt begins. `{sumac} logs -f {job}` follows it.";
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
  return filled(choose(job, now), job.meta.key.name, program);
}

std::string exitCodeMeaning(int code) {
  constexpr int kKilled = 137;
  switch (code) {
    case toInt(ExitCode::kDone): return "done";
    case toInt(ExitCode::kFailed): return "failed for good: starting again does not help";
    case toInt(ExitCode::kUsage): return "unusable command line";
    case toInt(ExitCode::kLostPeers): return "another member was gone: look at that one";
    case toInt(ExitCode::kBadConfiguration): return "the document cannot be run";
    case toInt(ExitCode::kBrokenInvariant): return "a bug of Sumac's";
    case toInt(ExitCode::kStopped): return "asked to stop";
    case kKilled: return "killed, often for memory";
    default: return {};
  }
}

}  // namespace sumac::cli
