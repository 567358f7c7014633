#include <nlohmann/json.hpp>

#include "base/core/text.h"
#include "kube/api/json.h"

namespace sumac::api {
namespace {

using nlohmann::json;

// The schema's longest texts (job/document/fields_status.cc): a longer one would make the API
// server refuse the whole status, each time.
constexpr std::size_t kMaxReason = 253;
constexpr std::size_t kMaxFailure = 4096;
constexpr std::size_t kMaxRefusal = 1024;
constexpr std::size_t kMaxCondition = 32768;
constexpr std::size_t kMaxChoice = 1024;
constexpr std::size_t kMostObservations = 16;

void putText(json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

void putTime(json& object, const char* name, const std::optional<WallTime>& time) {
  if (time) object[name] = toRfc3339(*time);
}

const char* toText(ConditionStatus status) {
  if (status == ConditionStatus::kTrue) return "True";
  return status == ConditionStatus::kFalse ? "False" : "Unknown";
}

json toJson(const Condition& condition) {
  json object{{"type", condition.type},
              {"status", toText(condition.status)},
              {"lastTransitionTime", toRfc3339(condition.last_transition)},
              {"reason", wholeCharacters(condition.reason, kMaxReason)},
              {"message", wholeCharacters(condition.message, kMaxCondition)}};
  if (condition.observed_generation > 0) {
    object["observedGeneration"] = condition.observed_generation;
  }
  return object;
}

json toJson(const ReplicaStatus& replicas) {
  return {{"desired", replicas.desired},
          {"active", replicas.active},
          {"ready", replicas.ready},
          {"succeeded", replicas.succeeded},
          {"failed", replicas.failed}};
}

json toJson(const LastFailure& failure) {
  json object{{"podName", failure.pod_name},
              {"podUID", failure.pod_uid},
              {"reason", wholeCharacters(failure.reason, kMaxReason)},
              {"message", wholeCharacters(failure.message, kMaxFailure)},
              {"time", toRfc3339(failure.time)}};
  if (failure.exit_code) object["exitCode"] = *failure.exit_code;
  return object;
}

json toJson(const Recovery& recovery) {
  json object{{"failures", recovery.failures},
              {"highestStep", recovery.highest_step},
              {"disruptions", recovery.disruptions}};
  if (!recovery.handled_pod_uids.empty()) object["handledPodUIDs"] = recovery.handled_pod_uids;
  putTime(object, "notBefore", recovery.not_before);
  for (const Replacement& each : recovery.replacements) {
    json entry{{"member", each.member}, {"failures", each.failures}};
    putTime(entry, "notBefore", each.not_before);
    if (each.is_refused) entry["refused"] = true;
    object["replacements"].push_back(std::move(entry));
  }
  return object;
}

json toJson(const ScaleStatus& scale) {
  json object = json::object();
  if (scale.last_running) object["lastRunning"] = *scale.last_running;
  putTime(object, "since", scale.since);
  if (scale.refused) {
    object["refused"] = {{"workers", scale.refused->workers},
                         {"generation", scale.refused->generation},
                         {"time", toRfc3339(scale.refused->time)},
                         {"tries", scale.refused->tries},
                         {"message", wholeCharacters(scale.refused->message, kMaxRefusal)}};
  }
  return object;
}

json observationsOf(const AutoscalingStatus& autoscaling) {
  json all = json::array();
  for (const SizeObservation& one : autoscaling.observations) {
    if (all.size() >= kMostObservations) break;
    all.push_back({{"workers", one.workers},
                   {"steps", one.steps},
                   {"stepSeconds", decimalText(one.step_seconds)},
                   {"computeSeconds", decimalText(one.compute_seconds)},
                   {"time", toRfc3339(one.time)}});
  }
  return all;
}

json toJson(const AutoscalingRoom& room) {
  json object{{"workers", room.workers}, {"until", toRfc3339(room.until)}, {"tries", room.tries}};
  // A part of it is no use.
  if (room.quota.size() > kMaxReason || room.requested.size() > kMaxRefusal) return object;
  putText(object, "quota", room.quota);
  putText(object, "requested", room.requested);
  return object;
}

json toJson(const AutoscalingStatus& autoscaling) {
  json object{{"workersWanted", autoscaling.workers_wanted},
              {"workerSeconds", autoscaling.worker_seconds},
              {"serverSeconds", autoscaling.server_seconds},
              {"search", {{"most", autoscaling.most}, {"changes", autoscaling.changes}}}};
  putText(object, "reason", std::string(wholeCharacters(autoscaling.reason, kMaxReason)));
  putText(object, "message", std::string(wholeCharacters(autoscaling.message, kMaxChoice)));
  putTime(object, "lastChangeTime", autoscaling.last_change);
  putTime(object, "firstStartTime", autoscaling.first_start);
  putTime(object, "accountedTime", autoscaling.accounted);
  if (!autoscaling.observations.empty()) object["observations"] = observationsOf(autoscaling);
  if (autoscaling.settled_step_seconds > 0)
    putText(object["search"], "settledStepSeconds", decimalText(autoscaling.settled_step_seconds));
  if (autoscaling.room) object["room"] = toJson(*autoscaling.room);
  if (autoscaling.pauses > 0)
    object["pauses"] = {{"count", autoscaling.pauses},
                        {"seconds", decimalText(autoscaling.pause_seconds)}};
  return object;
}

json toJson(const MembershipStatus& membership) {
  return {{"term", membership.term},
          {"generation", membership.generation},
          {"changes", membership.changes},
          {"earlierChanges", membership.earlier}};
}

void putParts(json& object, const JobStatus& status) {
  json conditions = json::array();
  for (const Condition& condition : status.conditions)
    conditions.push_back(toJson(condition));
  object["conditions"] = std::move(conditions);
  if (status.progress) object["progress"] = json(toStatusJson(*status.progress));
  if (status.result) object["result"] = json(toStatusJson(*status.result));
  if (status.last_failure) object["lastFailure"] = toJson(*status.last_failure);
}

}  // namespace

json toJson(const JobStatus& status) {
  json object{{"observedGeneration", status.observed_generation},
              {"attempt", status.attempt},
              {"restarts", status.restarts},
              {"replaced", status.replaced},
              {"resizes", status.resizes},
              {"disruptions", status.disruptions},
              {"recovery", toJson(status.recovery)},
              {"replicaStatuses", {{"worker", toJson(status.worker)}}}};
  // Only roles that the job has: no servers where its workers sum.
  if (status.server != ReplicaStatus{}) object["replicaStatuses"]["server"] = toJson(status.server);
  if (status.scale != ScaleStatus{}) object["scale"] = toJson(status.scale);
  if (status.autoscaling) object["autoscaling"] = toJson(*status.autoscaling);
  if (status.membership != MembershipStatus{}) object["membership"] = toJson(status.membership);
  putText(object, "state", status.state);
  putText(object, "workers", status.workers);
  putText(object, "workerSelector", status.worker_selector);
  putText(object, "coordinator", status.coordinator);
  putText(object, "operatorVersion", status.operator_version);
  putText(object, "templateHash", status.template_hash);
  putTime(object, "startTime", status.start_time);
  putTime(object, "completionTime", status.completion_time);
  putTime(object, "lastScaleTime", status.last_scale_time);
  putParts(object, status);
  return object;
}

}  // namespace sumac::api
