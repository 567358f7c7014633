#include "operator/program/defaults.h"

#include <nlohmann/json.hpp>

#include "base/core/file.h"

namespace sumac::program {
namespace {

constexpr std::uint64_t kMostTemplate = std::uint64_t{256} << 10U;  // bytes

/// The tree of a template. Only its form is checked here; whether it gives a valid pod is checked
/// with each job.
Result<JsonTree> readTemplate(const std::string& flag, const std::string& path) {
  if (path.empty()) return JsonTree();
  const auto text = readTextFile(path, kMostTemplate);
  if (!text) return text.error().within(flag);
  auto parsed = nlohmann::ordered_json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    return Error{ErrorCode::kInvalid, flag + ": " + path +
                                          " is not a JSON object; it must be a PodTemplateSpec, "
                                          "{\"metadata\": ..., \"spec\": ...}"};
  }
  for (const auto& [field, value] : parsed.items()) {
    if ((field == "metadata" || field == "spec") && value.is_object()) continue;
    return Error{ErrorCode::kInvalid, flag + ": " + path + ": \"" + field +
                                          "\" is not a field of a PodTemplateSpec, which has the "
                                          "objects metadata and spec"};
  }
  return JsonTree(std::move(parsed));
}

}  // namespace

Result<trainingjob::Defaults> readDefaults(const OperatorFlags& flags,
                                           const std::string& operator_namespace) {
  auto worker = readTemplate("--worker-template", flags.worker_template_file);
  if (!worker) return worker.error();
  auto server = readTemplate("--server-template", flags.server_template_file);
  if (!server) return server.error();
  trainingjob::Defaults defaults;
  defaults.worker_image = flags.worker_image;
  defaults.server_image = flags.server_image;
  defaults.image_pull_policy = flags.image_pull_policy;
  defaults.worker_template = *std::move(worker);
  defaults.server_template = *std::move(server);
  defaults.metrics_namespace = flags.metrics_namespace;
  defaults.operator_namespace = operator_namespace;
  return defaults;
}

}  // namespace sumac::program
