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
                        {"workerTemplate", defaults.worker_template->dump()},
                        {"serverTemplate", defaults.server_template->dump()},
                        {"metricsNamespace", defaults.metrics_namespace},
                        {"operatorNamespace", defaults.operator_namespace}};
}

/// Whoever may create ConfigMaps may have written the record. Copying a tree takes a call a level,
/// and each field of a map is compared with all before it.
constexpr int kMaxDepth = 64;
constexpr int kMaxParts = 30'000;  // fields, values and ends of maps and lists; a job has 20,000

/// The tree of an entry's text. Says in `problem` why there is none.
JsonTree treeOf(const std::string& text, const std::string& path, std::string& problem) {
  int parts = 0;
  bool is_deep = false;
  const auto isKept = [&](int depth, auto /*event*/, const auto& /*value*/) {
    is_deep = is_deep || depth > kMaxDepth;
    return !is_deep && ++parts <= kMaxParts;
  };
  auto tree = nlohmann::ordered_json::parse(text, isKept, /*allow_exceptions=*/false);
  const bool is_large = parts > kMaxParts;
  if (!is_deep && !is_large && !tree.is_discarded()) return JsonTree(std::move(tree));
  if (!problem.empty()) return {};
  problem = path + (is_deep    ? ": is nested deeper than 64 levels"
                    : is_large ? ": has more than 30,000 fields and values"
                               : ": is not valid JSON");
  return {};
}

/// A template of the record; empty where there is none.
JsonTree templateOf(const Fields& defaults, const char* name, std::string& problem) {
  const std::string text = defaults.text(name);
  if (text.empty()) return {};
  return treeOf(text, std::string(kOperatorEntry) + ".defaults." + name, problem);
}

Defaults readDefaults(const Fields& fields, std::string& problem) {
  return {.worker_image = fields.text("workerImage"),
          .server_image = fields.text("serverImage"),
          .image_pull_policy = fields.text("imagePullPolicy"),
          .worker_template = templateOf(fields, "workerTemplate", problem),
          .server_template = templateOf(fields, "serverTemplate", problem),
          .metrics_namespace = fields.text("metricsNamespace"),
          .operator_namespace = fields.text("operatorNamespace")};
}

}  // namespace

Readers readersOf(const Defaults& defaults) {
  return {defaults.operator_namespace, defaults.metrics_namespace};
}

bool hasCode(const JobRecord& record) {
  return record.document->contains(nlohmann::ordered_json::json_pointer("/spec/program/code"));
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
            {"changesMembers", record.changes_members},
            {"jobToken", record.has_token},
            {"keysSecretNumber", record.secret_number},
            {"checkpointPath", record.checkpoint_path},
            {"outputPath", record.output_path},
            {"keepsCheckpoints", record.keeps_checkpoints},
            {"keepsOutput", record.keeps_output}};
  putDefaults(ours, record.defaults);
  return {{kJobEntry, record.document.text()}, {kOperatorEntry, ours.dump(2)}};
}

Result<JobRecord> recordFromData(const json& data) {
  std::string problem;
  const Fields entries(&data, "data", problem);
  JobRecord record;
  const std::string document = entries.requiredText(kJobEntry);
  const std::string text = entries.requiredText(kOperatorEntry);
  if (problem.empty())
    record.document = treeOf(document, std::string("data.") + kJobEntry, problem);
  const json ours = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (problem.empty() && ours.is_discarded()) problem = "data.operator.json: is not valid JSON";
  if (!problem.empty()) return Error{ErrorCode::kInvalid, problem};
  const Fields fields(&ours, kOperatorEntry, problem);
  record.defaults = readDefaults(fields.object("defaults"), problem);
  record.operator_version = fields.text("operatorVersion");
  record.logical_workers = fields.number("logicalWorkers", 1, 1);
  record.servers = fields.number("servers", 0);
  record.is_encrypted = fields.boolean("encrypted");
  record.changes_members = fields.boolean("changesMembers");
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
