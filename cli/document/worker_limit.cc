#include "cli/document/worker_limit.h"

#include <nlohmann/json.hpp>

#include "kube/api/labels.h"
#include "planner/machines/amount.h"

namespace sumac::cli {

std::optional<std::string> workerLimit(const nlohmann::ordered_json& job,
                                       const std::string& resource) {
  using Json = nlohmann::ordered_json;
  const Json::json_pointer place("/spec/worker/template/spec/containers");
  if (!job.is_object() || !job.contains(place) || !job.at(place).is_array()) return std::nullopt;
  for (const Json& container : job.at(place)) {
    if (!container.is_object() || container.value("name", Json()) != api::kMainContainer) continue;
    const Json::json_pointer limit("/resources/limits/" + resource);
    if (!container.contains(limit)) return std::nullopt;
    const Json& amount = container.at(limit);
    return amount.is_string() ? amount.get<std::string>() : amount.dump();
  }
  return std::nullopt;
}

std::optional<double> workerMemoryLimit(const nlohmann::ordered_json& job) {
  const auto text = workerLimit(job, "memory");
  const auto bytes = text ? planner::amountIn(planner::Dimension::kMemory, *text)
                          : Result<double>(Error{ErrorCode::kNotFound, {}});
  return bytes ? std::optional(*bytes) : std::nullopt;
}

}  // namespace sumac::cli
