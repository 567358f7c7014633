#include <charconv>

#include <nlohmann/json.hpp>

#include "base/core/text.h"
#include "kube/api/json.h"
#include "kube/api/labels.h"
#include "kube/api/meta.h"

namespace sumac::api {
namespace {

using internal::Fields;

constexpr std::string_view kOurPrefix = "sumac.dev/";
/// Messages of others are kept for people, 10,000 times: enough to read, bounded.
constexpr std::size_t kMaxMessage = 2048;

std::string cut(const std::string& text) {
  return std::string(wholeCharacters(text, kMaxMessage));
}

/// A whole number >= 0 exactly as we write it: "3", not "03" or "+3".
std::optional<int> indexOf(const std::map<std::string, std::string>& labels, const char* name) {
  const auto found = labels.find(name);
  if (found == labels.end()) return std::nullopt;
  int value = -1;
  const char* end = found->second.data() + found->second.size();
  const auto [rest, error] = std::from_chars(found->second.data(), end, value);
  if (error != std::errc() || rest != end || value < 0) return std::nullopt;
  return std::to_string(value) == found->second ? std::optional(value) : std::nullopt;
}

/// No job comes so far; what a label says beyond it is nobody's attempt.
constexpr int kMostAttempts = 1'000'000'000;

void readMember(Pod& pod) {
  const auto& labels = pod.meta.labels;
  const auto role = labels.find(kRoleLabel);
  const auto index = indexOf(labels, kIndexLabel);
  const auto attempt = indexOf(labels, kAttemptLabel);
  if (!labels.contains(kJobLabel) || role == labels.end() || !index || !attempt) return;
  if (role->second != "worker" && role->second != "server") return;
  if (*attempt > kMostAttempts) return;
  pod.slot = {role->second == "worker" ? Role::kWorker : Role::kServer, *index};
  pod.attempt = *attempt;
  pod.is_ours = true;
}

PodPhase phaseOf(const std::string& text) {
  if (text == "Pending" || text.empty()) return PodPhase::kPending;
  if (text == "Running") return PodPhase::kRunning;
  if (text == "Succeeded") return PodPhase::kSucceeded;
  if (text == "Failed") return PodPhase::kFailed;
  return PodPhase::kUnknown;
}

void readConditions(const Fields& status, Pod& pod) {
  for (const Fields& condition : status.objects("conditions")) {
    const std::string type = condition.text("type");
    const std::string holds = condition.text("status");
    if (type == "Ready") {
      pod.is_ready = holds == "True";
    } else if (type == "PodScheduled") {
      pod.is_scheduled = holds == "True";
      if (holds == "False") {
        pod.unscheduled_reason = condition.text("reason");
        pod.unscheduled_message = cut(condition.text("message"));
      }
    } else if (type == "DisruptionTarget" && holds == "True") {
      pod.disruption = condition.text("reason");
      if (pod.disruption.empty()) pod.disruption = "DisruptionTarget";
    }
  }
}

Termination readTermination(const Fields& state) {
  Termination end;
  // Exit codes are bytes to Linux, but int32 to the API.
  end.exit_code = state.number("exitCode", 0, std::numeric_limits<int>::min());
  end.signal = state.number("signal", 0, std::numeric_limits<int>::min());
  end.reason = state.text("reason");
  end.message = cut(state.text("message"));
  end.finished = state.time("finishedAt");
  return end;
}

void readMainContainer(const Fields& container, Pod& pod) {
  const Fields state = container.object("state");
  if (const Fields waiting = state.object("waiting"); waiting.isPresent()) {
    pod.waiting_reason = waiting.text("reason");
    pod.waiting_message = cut(waiting.text("message"));
  }
  pod.is_running = state.has("running");
  if (const Fields ended = state.object("terminated"); ended.isPresent()) {
    pod.terminated = readTermination(ended);
  }
}

/// An init container that cannot start or failed is why the main one waits.
void readInitContainer(const Fields& container, Pod& pod) {
  if (pod.is_running || pod.terminated) return;  // a sidecar: the main one does not wait for it
  const std::string name = container.text("name");
  const Fields state = container.object("state");
  if (const Fields waiting = state.object("waiting"); waiting.isPresent()) {
    const std::string reason = waiting.text("reason");
    if (reason.empty() || reason == "PodInitializing" || reason == "ContainerCreating") return;
    pod.waiting_reason = reason;
    pod.waiting_message = cut("init container " + name + ": " + waiting.text("message"));
  }
  if (const Fields ended = state.object("terminated"); ended.isPresent()) {
    const Termination end = readTermination(ended);
    if (end.exit_code == 0) return;
    pod.waiting_reason = "InitContainerFailed";
    pod.waiting_message = cut("init container " + name + " ended with exit code " +
                              std::to_string(end.exit_code) + ": " + end.message);
  }
}

}  // namespace

Result<Pod> podFromJson(const nlohmann::json& object) {
  std::string problem;
  const Fields fields(&object, "", problem);
  Pod pod;
  pod.meta = internal::readMeta(fields, kOurPrefix);
  readMember(pod);
  pod.grace_seconds = fields.object("metadata").integer("deletionGracePeriodSeconds");
  pod.node = fields.object("spec").text("nodeName");
  const Fields status = fields.object("status");
  pod.phase = phaseOf(status.text("phase"));
  pod.reason = status.text("reason");
  pod.message = cut(status.text("message"));
  pod.ip = status.text("podIP");
  readConditions(status, pod);
  for (const Fields& container : status.objects("containerStatuses")) {
    if (container.text("name") == kMainContainer) readMainContainer(container, pod);
  }
  for (const Fields& container : status.objects("initContainerStatuses")) {
    readInitContainer(container, pod);
  }
  if (!problem.empty()) return internal::refusal("Pod", pod.meta, problem);
  return pod;
}

}  // namespace sumac::api
