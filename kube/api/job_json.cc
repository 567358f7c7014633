#include <nlohmann/json.hpp>

#include "base/core/sha256.h"
#include "kube/api/json.h"
#include "kube/api/members.h"
#include "kube/api/meta.h"

namespace sumac::api {
namespace {

using internal::Fields;
using nlohmann::json;

/// Trees deeper than this are not written out or copied (that takes a call a level); the reader of
/// documents refuses them far earlier.
constexpr int kMaxDepth = 64;
/// Of a spec as compact JSON. A thousand jobs are kept at the same time, and whoever may create
/// jobs must not be able to fill the memory of an operator that serves others too.
constexpr std::size_t kMostSpec = 262'144;

bool isDeeperThan(const json& value, int levels) {
  if (!value.is_structured()) return false;
  if (levels == 0) return true;
  for (const json& item : value) {
    if (isDeeperThan(item, levels - 1)) return true;
  }
  return false;
}

std::string written(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

CleanPodPolicy cleanPods(const std::string& text) {
  if (text == "All") return CleanPodPolicy::kAll;
  return text == "None" ? CleanPodPolicy::kNone : CleanPodPolicy::kRunning;
}

ConditionStatus conditionStatus(const std::string& text) {
  if (text == "True") return ConditionStatus::kTrue;
  return text == "False" ? ConditionStatus::kFalse : ConditionStatus::kUnknown;
}

Condition readCondition(const Fields& fields) {
  Condition condition;
  condition.type = fields.requiredText("type");
  condition.status = conditionStatus(fields.requiredText("status"));
  condition.observed_generation = fields.integer("observedGeneration").value_or(0);
  condition.last_transition = fields.time("lastTransitionTime").value_or(WallTime());
  condition.reason = fields.text("reason");
  condition.message = fields.text("message");
  return condition;
}

ReplicaStatus readReplicas(const Fields& fields) {
  return {fields.number("desired", 0), fields.number("active", 0), fields.number("ready", 0),
          fields.number("succeeded", 0), fields.number("failed", 0)};
}

LastFailure readFailure(const Fields& fields) {
  LastFailure failure;
  failure.pod_name = fields.text("podName");
  failure.pod_uid = fields.text("podUID");
  failure.reason = fields.text("reason");
  failure.message = fields.text("message");
  failure.time = fields.time("time").value_or(WallTime());
  if (fields.has("exitCode")) {
    failure.exit_code = fields.number("exitCode", 0, std::numeric_limits<int>::min());
  }
  return failure;
}

ScaleStatus readScale(const Fields& fields) {
  ScaleStatus scale;
  if (fields.has("lastRunning")) scale.last_running = fields.number("lastRunning", 1);
  scale.since = fields.time("since");
  const Fields refused = fields.object("refused");
  if (!refused.isPresent()) return scale;
  scale.refused = RefusedScale{.workers = refused.number("workers", 0),
                               .generation = refused.integer("generation").value_or(0),
                               .time = refused.time("time").value_or(WallTime()),
                               .tries = refused.number("tries", 1),
                               .message = refused.text("message")};
  return scale;
}

/// A decimal as text or, in what a user wrote, as a number; 0 for anything else.
double decimalIn(const Fields& fields, const char* name) {
  return fields.decimal(name).value_or(0);
}

AutoscalingStatus readAutoscaling(const Fields& fields) {
  AutoscalingStatus read{.workers_wanted = fields.number("workersWanted", 0),
                         .reason = fields.text("reason"),
                         .message = fields.text("message"),
                         .last_change = fields.time("lastChangeTime"),
                         .first_start = fields.time("firstStartTime"),
                         .worker_seconds = fields.integer("workerSeconds").value_or(0),
                         .server_seconds = fields.integer("serverSeconds").value_or(0),
                         .accounted = fields.time("accountedTime")};
  for (const Fields& one : fields.objects("observations"))
    read.observations.push_back({.workers = one.number("workers", 0),
                                 .steps = one.integer("steps").value_or(0),
                                 .step_seconds = decimalIn(one, "stepSeconds"),
                                 .compute_seconds = decimalIn(one, "computeSeconds"),
                                 .time = one.time("time").value_or(WallTime())});
  const Fields search = fields.object("search");
  read.most = search.number("most", 0);
  read.changes = search.number("changes", 0);
  read.settled_step_seconds = decimalIn(search, "settledStepSeconds");
  const Fields room = fields.object("room");
  if (room.isPresent())
    read.room = AutoscalingRoom{.workers = room.number("workers", 0),
                                .until = room.time("until").value_or(WallTime()),
                                .tries = room.number("tries", 1),
                                .quota = room.text("quota"),
                                .requested = room.text("requested")};
  const Fields pauses = fields.object("pauses");
  read.pauses = pauses.number("count", 0);
  read.pause_seconds = decimalIn(pauses, "seconds");
  return read;
}

MembershipStatus readMembership(const Fields& fields) {
  return {.term = fields.integer("term").value_or(0),
          .generation = fields.integer("generation").value_or(0),
          .changes = fields.integer("changes").value_or(0),
          .earlier = fields.integer("earlierChanges").value_or(0)};
}

void readCounters(const Fields& fields, JobStatus& status) {
  status.attempt = fields.number("attempt", 0);
  status.restarts = fields.number("restarts", 0);
  status.replaced = fields.number("replaced", 0);
  status.resizes = fields.number("resizes", 0);
  status.disruptions = fields.number("disruptions", 0);
  const Fields recovery = fields.object("recovery");
  status.recovery.failures = recovery.number("failures", 0);
  status.recovery.highest_step = recovery.integer("highestStep").value_or(0);
  status.recovery.handled_pod_uids = recovery.textList("handledPodUIDs");
  status.recovery.disruptions = recovery.number("disruptions", 0);
  status.recovery.not_before = recovery.time("notBefore");
  for (const Fields& each : recovery.objects("replacements")) {
    status.recovery.replacements.push_back({.member = each.text("member"),
                                            .failures = each.number("failures", 0),
                                            .not_before = each.time("notBefore"),
                                            .is_refused = each.boolean("refused")});
  }
}

/// status of a TrainingJob, as the operator wrote it; absent: as it was at creation.
JobStatus readStatus(const Fields& fields) {
  JobStatus status;
  status.observed_generation = fields.integer("observedGeneration").value_or(0);
  status.state = fields.text("state");
  status.workers = fields.text("workers");
  readCounters(fields, status);
  status.scale = readScale(fields.object("scale"));
  const Fields autoscaling = fields.object("autoscaling");
  if (autoscaling.isPresent()) status.autoscaling = readAutoscaling(autoscaling);
  status.membership = readMembership(fields.object("membership"));
  for (const Fields& condition : fields.objects("conditions")) {
    status.conditions.push_back(readCondition(condition));
  }
  const Fields replicas = fields.object("replicaStatuses");
  status.worker = readReplicas(replicas.object("worker"));
  status.server = readReplicas(replicas.object("server"));
  status.worker_selector = fields.text("workerSelector");
  status.coordinator = fields.text("coordinator");
  status.operator_version = fields.text("operatorVersion");
  status.template_hash = fields.text("templateHash");
  status.start_time = fields.time("startTime");
  status.completion_time = fields.time("completionTime");
  status.last_scale_time = fields.time("lastScaleTime");
  status.progress = fields.read("progress", progressFromJson);
  status.result = fields.read("result", jobResultFromJson);
  const Fields failure = fields.object("lastFailure");
  if (failure.isPresent()) status.last_failure = readFailure(failure);
  return status;
}

RunPolicy readRunPolicy(const Fields& fields) {
  RunPolicy policy;
  policy.clean_pods = cleanPods(fields.text("cleanPodPolicy"));
  policy.backoff_limit = fields.number("backoffLimit", policy.backoff_limit);
  policy.active_deadline_seconds = fields.integer("activeDeadlineSeconds");
  policy.pre_running_deadline_seconds = fields.integer("preRunningDeadlineSeconds");
  policy.scale_cool_down_seconds = fields.integer("scaleCoolDownSeconds");
  policy.scale_fit_seconds = fields.integer("scaleFitSeconds");
  policy.ttl_seconds_after_finished = fields.integer("ttlSecondsAfterFinished");
  return policy;
}

void readWorker(const Fields& fields, TrainingJob& job) {
  job.worker_replicas = fields.number("replicas", 1);
  if (fields.has("minReplicas")) job.min_replicas = fields.number("minReplicas", 1);
  if (fields.has("maxReplicas")) job.max_replicas = fields.number("maxReplicas", 1);
}

job::AutoscalingPolicy policyNamed(const std::string& name) {
  using enum job::AutoscalingPolicy;
  for (const auto policy : {kEfficiency, kDeadline, kCost}) {
    if (name == toString(policy)) return policy;
  }
  return kThroughput;
}

/// With the schema's and the resolver's defaults.
job::AutoscalingSpec readAutoscalingSpec(const Fields& fields) {
  const Fields cost = fields.object("cost");
  job::AutoscalingSpec spec;
  spec.policy = policyNamed(fields.text("policy"));
  spec.target_efficiency = fields.decimal("targetEfficiency").value_or(spec.target_efficiency);
  spec.deadline_seconds = fields.integer("deadlineSeconds").value_or(0);
  spec.worker_hour = decimalIn(cost, "workerHour");
  spec.server_hour = decimalIn(cost, "serverHour");
  spec.budget = decimalIn(cost, "budget");
  spec.stabilization_seconds =
      fields.integer("stabilizationSeconds").value_or(spec.stabilization_seconds);
  return spec;
}

/// The document, and the hash of its templates.
void readDocument(const json& object, TrainingJob& job) {
  const json& spec = memberOf(object, "spec");
  if (isDeeperThan(spec, kMaxDepth)) {
    job.spec_problem = "nested too deep to be a TrainingJob";
    return;
  }
  const json templates{{"worker", memberOf(memberOf(spec, "worker"), "template")},
                       {"server", memberOf(memberOf(spec, "server"), "template")}};
  job.template_hash = sha256Hex(asBytes(written(templates)));
  if (written(spec).size() > kMostSpec) {
    job.spec_problem = "larger than " + std::to_string(kMostSpec) + " bytes";
    return;
  }
  job.document = JsonTree({{"apiVersion", textOf(object, "apiVersion")},
                           {"kind", textOf(object, "kind")},
                           {"metadata", {{"name", job.meta.key.name}}},
                           {"spec", spec}});
}

}  // namespace

Result<TrainingJob> jobFromJson(const json& object) {
  std::string problem;
  const Fields fields(&object, "", problem);
  TrainingJob job;
  job.meta = internal::readMeta(fields);
  const Fields spec = fields.object("spec");
  job.run_policy = readRunPolicy(spec.object("runPolicy"));
  readWorker(spec.object("worker"), job);
  const Fields autoscaling = spec.object("autoscaling");
  if (autoscaling.isPresent()) job.autoscaling = readAutoscalingSpec(autoscaling);
  job.suspend = spec.boolean("suspend");
  job.managed_by = spec.text("managedBy");
  job.status = readStatus(fields.object("status"));
  if (!problem.empty()) return internal::refusal("TrainingJob", job.meta, problem);
  readDocument(object, job);
  return job;
}

json statusUpdate(const TrainingJob& job, const JobStatus& status) {
  return {{"apiVersion", "sumac.dev/v1alpha1"},
          {"kind", "TrainingJob"},
          {"metadata",
           {{"namespace", job.meta.key.name_space},
            {"name", job.meta.key.name},
            {"uid", job.meta.uid},
            {"resourceVersion", job.meta.resource_version}}},
          {"status", toJson(status)}};
}

}  // namespace sumac::api
