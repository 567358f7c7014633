#include "operator/trainingjob/policy/failure.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string_view>

#include "base/core/exit_code.h"
#include "base/log/line_format.h"
#include "base/process/termination_message.h"
#include "kube/api/reasons.h"

namespace sumac::trainingjob {
namespace {

struct CodeMeaning {
  int code;
  FailureKind kind;
  const char* reason;
};

constexpr std::array<CodeMeaning, 8> kCodes = {{
    {toInt(ExitCode::kDone), FailureKind::kConsequence, api::reasons::kNoResult},
    {toInt(ExitCode::kFailed), FailureKind::kForGood, api::reasons::kFailedForGood},
    {toInt(ExitCode::kUsage), FailureKind::kForGood, api::reasons::kUsageError},
    {toInt(ExitCode::kResourceFailed), FailureKind::kOwn, api::reasons::kResourceFailed},
    {toInt(ExitCode::kLostPeers), FailureKind::kConsequence, api::reasons::kLostPeers},
    {toInt(ExitCode::kBadConfiguration), FailureKind::kForGood, api::reasons::kBadConfiguration},
    {toInt(ExitCode::kBrokenInvariant), FailureKind::kOwn, api::reasons::kBrokenInvariant},
    {toInt(ExitCode::kStopped), FailureKind::kConsequence, api::reasons::kStopped},
}};

/// Reason of a pod that the kubelet evicts for breaking a limit of its own, or does not admit while
/// the node lacks memory or disk. All other evictions have the condition DisruptionTarget.
constexpr std::string_view kEvicted = api::reasons::kEvicted;

// Reasons that kubelets and the node controller give to pods which their node ends.
constexpr std::array<std::string_view, 6> kNodeReasons = {
    "Preempted", "Preempting", "NodeLost", "NodeShutdown", "Shutdown", "Terminated"};

// Reasons of kubelets for pods that the scheduler gave them and that they do not admit, because the
// node changed meanwhile. Not among them: what the pod asks for and no node gives (AppArmor,
// SysctlForbidden, PodOSNotSupported).
constexpr std::array<std::string_view, 6> kRefusals = {"NodeAffinity",
                                                       "NodeName",
                                                       "NodePorts",
                                                       "TaintToleration",
                                                       "TopologyAffinityError",
                                                       "UnexpectedAdmissionError"};
constexpr std::string_view kLacksResource = "OutOf";  // OutOfcpu, OutOfmemory, OutOfpods, ...

/// Reason of a container that the kubelet no longer finds, after the node or its runtime restarted.
constexpr std::string_view kContainerLost = "ContainerStatusUnknown";

// Reasons of kubelets and runtimes for a container whose program cannot be started.
constexpr std::array<std::string_view, 2> kNotStarted = {api::reasons::kStartError,
                                                         "ContainerCannotRun"};

constexpr int kSignalBase = 128;
constexpr int kFirstSignal = 129;
constexpr int kLastSignal = 159;

CodeMeaning meaningOf(int code) {
  for (const CodeMeaning& meaning : kCodes) {
    if (meaning.code == code) return meaning;
  }
  const bool is_signal = code >= kFirstSignal && code <= kLastSignal;
  return {code, FailureKind::kOwn,
          is_signal ? api::reasons::kKilledBySignal : api::reasons::kUnknownExitCode};
}

template <typename Words>
bool hasWord(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool hasStarted(const api::Pod& pod) {
  return pod.terminated || pod.is_running;
}

/// Whether the kubelet evicted the pod for breaking a limit of its own, such as ephemeral storage.
bool hasBrokenLimit(const api::Pod& pod) {
  return pod.reason == kEvicted && pod.disruption.empty() && hasStarted(pod);
}

bool isRefusedByNode(const api::Pod& pod) {
  return !hasStarted(pod) && (pod.reason == kEvicted || hasWord(kRefusals, pod.reason) ||
                              pod.reason.starts_with(kLacksResource));
}

/// Whether the node, or somebody else through the node, ended the pod.
bool isEndedByNode(const api::Pod& pod) {
  if (hasBrokenLimit(pod)) return false;
  const bool is_lost = pod.terminated && pod.terminated->reason == kContainerLost;
  return !pod.disruption.empty() || hasWord(kNodeReasons, pod.reason) || isRefusedByNode(pod) ||
         is_lost;
}

bool isNotStarted(const api::Termination& end) {
  return hasWord(kNotStarted, end.reason);
}

/// The first of these texts that is not empty.
std::string firstOf(const std::string& one, const std::string& two, const std::string& three) {
  if (!one.empty()) return one;
  return two.empty() ? three : two;
}

std::string exitText(const api::Termination& end) {
  if (end.exit_code == 0) return "ended with exit code 0 but wrote no result";
  if (end.reason == api::reasons::kOutOfMemory) {
    return "was killed for lack of memory: raise its memory limit, or lower training.batchSize";
  }
  if (isNotStarted(end)) return "could not be started";
  if (meaningOf(end.exit_code).reason == api::reasons::kKilledBySignal) {
    const int signal = end.exit_code - kSignalBase;
    const char* const name = sigabbrev_np(signal);
    return "was killed by signal " + std::to_string(signal) +
           (name == nullptr ? "" : " (SIG" + std::string(name) + ")");
  }
  return "ended with exit code " + std::to_string(end.exit_code);
}

/// What a process said of its end. One that could not say anything has, from its kubelet, the end
/// of its log instead, cut at the front: then the last line, as people read it.
std::string wordsOf(const api::Termination& end) {
  std::string said = LastWords::parse(end.message).reason;
  while (said.ends_with('\n'))
    said.pop_back();
  const auto cut = said.rfind('\n');
  const std::string last = cut == said.npos ? said : said.substr(cut + 1);
  if (const auto text = textFromJsonLine(last)) return "the end of its log: " + *text;
  return said;
}

/// A limit of the pod itself, and it would be broken again on any node.
void describeBrokenLimit(const api::Pod& pod, Failure& failure) {
  failure.kind = FailureKind::kOwn;
  failure.reason = kEvicted;
  if (pod.terminated) {
    failure.exit_code = pod.terminated->exit_code;
    failure.time = pod.terminated->finished;
  }
  failure.message =
      "was evicted by its node for breaking a limit of its own: raise that limit in the template, "
      "or write less";
  if (!pod.message.empty()) failure.message += ": " + pod.message;
}

void describeEnd(const api::Pod& pod, Failure& failure) {
  if (hasBrokenLimit(pod)) return describeBrokenLimit(pod, failure);
  if (!pod.terminated) {
    failure.kind = FailureKind::kOwn;
    failure.reason =
        reasonOr(firstOf(pod.reason, pod.waiting_reason, ""), api::reasons::kPodFailed);
    failure.message = firstOf(pod.message, pod.waiting_message, "ended without an exit code");
    return;
  }
  const api::Termination& end = *pod.terminated;
  const CodeMeaning meaning = meaningOf(end.exit_code);
  const bool lacks_memory = end.reason == api::reasons::kOutOfMemory;
  failure.kind = lacks_memory ? FailureKind::kOwn : meaning.kind;
  failure.reason = lacks_memory ? api::reasons::kOutOfMemory : meaning.reason;
  if (isNotStarted(end)) {
    failure.kind = FailureKind::kOwn;
    failure.reason = api::reasons::kStartError;
  }
  if (failure.kind == FailureKind::kConsequence && end.exit_code != 0 && !pod.reason.empty()) {
    // The kubelet ended the pod and gives a reason, for example the pod's own deadline.
    failure.kind = FailureKind::kOwn;
    failure.reason = reasonOr(pod.reason, api::reasons::kPodFailed);
  }
  failure.exit_code = end.exit_code;
  failure.time = end.finished;
  failure.message = exitText(end);
  const std::string said = wordsOf(end);
  if (!said.empty() && end.exit_code != 0) failure.message += ": " + said;
}

/// When the deletion was requested: deletionTimestamp is that time plus the grace period.
std::optional<WallTime> deletionRequested(const api::Pod& pod) {
  if (!pod.meta.deleted) return std::nullopt;
  constexpr std::int64_t kLongestGrace = 1'000'000'000;  // seconds; templates may ask for any grace
  return *pod.meta.deleted -
         std::chrono::seconds(std::min(pod.grace_seconds.value_or(0), kLongestGrace));
}

void describeDisruption(const api::Pod& pod, Failure& failure) {
  failure.kind = FailureKind::kDisruption;
  if (!failure.time) failure.time = deletionRequested(pod);
  if (!pod.disruption.empty()) {
    failure.reason = reasonOr(pod.disruption, api::reasons::kDisrupted);
    failure.message = firstOf(pod.message, "", "was disrupted: " + pod.disruption);
  } else if (isRefusedByNode(pod)) {
    failure.reason = reasonOr(pod.reason, api::reasons::kDisrupted);
    failure.message = "was not admitted by its node";
    if (!pod.message.empty()) failure.message += ": " + pod.message;
  } else if (hasWord(kNodeReasons, pod.reason)) {
    failure.reason = pod.reason;
    failure.message = firstOf(pod.message, "", "was ended by its node");
  } else if (pod.terminated && pod.terminated->reason == kContainerLost) {
    failure.reason = kContainerLost;
    failure.message = "was lost by its node";
    if (!pod.terminated->message.empty()) failure.message += ": " + pod.terminated->message;
  } else {
    failure.reason = api::reasons::kPodDeleted;
    failure.message = "was deleted, and not by the operator";
  }
}

}  // namespace

std::string reasonOr(const std::string& word, const char* other) {
  constexpr std::size_t kLongestReason = 253;
  const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto isPlain = [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); };
  const bool is_reason = !word.empty() && word.size() <= kLongestReason && isLetter(word.front()) &&
                         std::all_of(word.begin(), word.end(), isPlain);
  return is_reason ? word : other;
}

std::optional<Failure> failureOf(const api::Pod& pod) {
  const bool is_deleted = pod.meta.deleted.has_value();
  if ((!hasEnded(pod) && !is_deleted) || resultOf(pod)) return std::nullopt;
  Failure failure;
  failure.slot = pod.slot;
  failure.pod_name = pod.meta.key.name;
  failure.pod_uid = pod.meta.uid;
  if (hasEnded(pod)) describeEnd(pod, failure);
  // A failure for good happened independently of a deletion; all other ends of a pod that is being
  // deleted are caused by the deletion.
  const bool is_for_good = hasEnded(pod) && failure.kind == FailureKind::kForGood;
  const bool is_own_limit = hasEnded(pod) && hasBrokenLimit(pod);
  if (isEndedByNode(pod) || (is_deleted && !is_for_good && !is_own_limit)) {
    describeDisruption(pod, failure);
  }
  return failure;
}

}  // namespace sumac::trainingjob
