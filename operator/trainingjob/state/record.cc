#include "operator/trainingjob/state/record.h"

#include <nlohmann/json.hpp>

#include "kube/api/fields.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

using api::internal::Fields;
using nlohmann::json;

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

Readers readersOf(const Defaults& defaults) {
  return {defaults.operator_namespace, defaults.metrics_namespace};
}

bool hasSecret(const JobRecord& record) {
  return record.is_encrypted || record.has_token;
}

std::string secretName(const std::string& job, const std::string& uid, const JobRecord& record) {
  const std::string name = childName(job, uid, Child::kSecret);
  return record.secret_number == 0 ? name : name + "-" + std::to_string(record.secret_number);
}

json recordToData(const JobRecord& record) {
  json ours{{"operatorVersion", record.operator_version},
            {"logicalWorkers", record.logical_workers},
            {"servers", record.servers},
            {"encrypted", record.is_encrypted},
            {"jobToken", record.has_token},
            {"keysSecretNumber", record.secret_number},
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
  record.has_token = fields.boolean("jobToken");
  record.secret_number = fields.number("keysSecretNumber", 0);
  record.checkpoint_path = fields.text("checkpointPath");
  record.output_path = fields.text("outputPath");
  record.keeps_checkpoints = fields.boolean("keepsCheckpoints");
  record.keeps_output = fields.boolean("keepsOutput");
  if (!problem.empty()) return Error{ErrorCode::kInvalid, problem};
  return record;
}

}  // namespace sumac::trainingjob
