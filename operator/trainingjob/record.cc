#include "operator/trainingjob/record.h"

#include <nlohmann/json.hpp>

#include "common/api/fields.h"
#include "common/base/version.h"
#include "common/job/job.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/children/pod_tools.h"
#include "operator/trainingjob/children/storage.h"

namespace sumac::trainingjob {
namespace {

using api::internal::Fields;
using nlohmann::json;
using nlohmann::ordered_json;

/// One problem a line, without a file: the document came from the API server, where lines and
/// columns are not the user's.
Error invalidSpec(std::vector<job::Problem> problems) {
  std::string list;
  for (job::Problem& problem : problems) {
    problem.file.clear();
    problem.line = 0;
    std::string text = problem.text();
    text.erase(0, text.find_first_not_of(" :"));
    list += (list.empty() ? "" : "\n") + text;
  }
  return {ErrorCode::kInvalid, list};
}

/// Templates are the job's own and may change while it is suspended.
std::string withoutTemplates(const std::string& resolved) {
  ordered_json document = ordered_json::parse(resolved);
  for (const char* role : {"worker", "server"}) {
    if (document["spec"].contains(role)) document["spec"][role].erase("template");
  }
  return document.dump(2);
}

bool hasServers(const job::StrategySpec& strategy) {
  return strategy.exchange == job::Exchange::kParameterServer &&
         strategy.topology == job::Topology::kCentralized;
}

void putDefaults(json& object, const Defaults& defaults) {
  object["defaults"] = {{"workerImage", defaults.worker_image},
                        {"serverImage", defaults.server_image},
                        {"imagePullPolicy", defaults.image_pull_policy},
                        {"workerTemplate", defaults.worker_template},
                        {"serverTemplate", defaults.server_template},
                        {"metricsNamespace", defaults.metrics_namespace},
                        {"operatorNamespace", defaults.operator_namespace}};
}

Defaults readDefaults(const Fields& fields) {
  return {.worker_image = fields.text("workerImage"),
          .server_image = fields.text("serverImage"),
          .image_pull_policy = fields.text("imagePullPolicy"),
          .worker_template = fields.text("workerTemplate"),
          .server_template = fields.text("serverTemplate"),
          .metrics_namespace = fields.text("metricsNamespace"),
          .operator_namespace = fields.text("operatorNamespace")};
}

}  // namespace

Result<JobRecord> makeRecord(const api::TrainingJob& job, const Defaults& defaults) {
  if (job.document.empty()) {
    return Error{ErrorCode::kInvalid, "spec: nested too deep to be a TrainingJob"};
  }
  job::Reading reading = job::readJob(job.document, "", {}, /*needs_to_run=*/true);
  if (!reading.problems.empty()) return invalidSpec(std::move(reading.problems));
  const job::TrainingJob& spec = *reading.job;
  JobRecord record;
  record.document = withoutTemplates(reading.resolved);
  record.defaults = defaults;
  record.operator_version = kVersion;
  record.logical_workers = spec.training.logical_workers;
  record.servers = hasServers(spec.strategy) ? spec.server.replicas : 0;
  record.is_encrypted = spec.transport == job::Transport::kCurve;
  record.checkpoint_path = spec.checkpoint.path;
  record.output_path = spec.output_path;
  for (const Role role : {Role::kServer, Role::kWorker}) {
    if (role == Role::kServer && record.servers == 0) continue;
    const auto merged = mergedTemplate(job.document, defaults, role);
    if (!merged) return merged.error();
    if (role == Role::kServer) continue;
    const json document = json::parse(record.document);
    record.keeps_checkpoints = isLasting(document, "checkpoint", *merged);
    record.keeps_output = isLasting(document, "output", *merged);
  }
  return record;
}

json recordToData(const JobRecord& record) {
  json ours{{"operatorVersion", record.operator_version},
            {"logicalWorkers", record.logical_workers},
            {"servers", record.servers},
            {"encrypted", record.is_encrypted},
            {"checkpointPath", record.checkpoint_path},
            {"outputPath", record.output_path},
            {"keepsCheckpoints", record.keeps_checkpoints},
            {"keepsOutput", record.keeps_output}};
  putDefaults(ours, record.defaults);
  return {{kJobEntry, record.document}, {kOperatorEntry, ours.dump(2)}};
}

Result<JobRecord> recordFromData(const json& data) {
  std::string problem;
  const Fields entries(&data, "data", problem);
  JobRecord record;
  record.document = entries.requiredText(kJobEntry);
  const std::string text = entries.requiredText(kOperatorEntry);
  const json ours = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (problem.empty() && ours.is_discarded()) problem = "data.operator.json: no JSON";
  if (!problem.empty()) return Error{ErrorCode::kInvalid, problem};
  const Fields fields(&ours, kOperatorEntry, problem);
  record.defaults = readDefaults(fields.object("defaults"));
  record.operator_version = fields.text("operatorVersion");
  record.logical_workers = fields.number("logicalWorkers", 1, 1);
  record.servers = fields.number("servers", 0);
  record.is_encrypted = fields.boolean("encrypted");
  record.checkpoint_path = fields.text("checkpointPath");
  record.output_path = fields.text("outputPath");
  record.keeps_checkpoints = fields.boolean("keepsCheckpoints");
  record.keeps_output = fields.boolean("keepsOutput");
  if (!problem.empty()) return Error{ErrorCode::kInvalid, problem};
  return record;
}

}  // namespace sumac::trainingjob
