#include "cli/cluster/object_text.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "job/document/yaml_writer.h"

namespace sumac::cli {
namespace {

nlohmann::json withoutNoise(nlohmann::json object) {
  const auto metadata = object.find("metadata");
  if (metadata != object.end() && metadata->is_object()) metadata->erase("managedFields");
  return object;
}

std::string written(const nlohmann::json& value, Form form) {
  if (form == Form::kYaml) return job::toYaml(nlohmann::ordered_json(value));
  return value.dump(4, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string nameText(const std::string& job) {
  return "trainingjob.sumac.dev/" + job;
}

std::string objectText(const nlohmann::json& object, Form form) {
  return written(withoutNoise(object), form);
}

std::string listText(const std::vector<nlohmann::json>& objects, Form form) {
  nlohmann::json items = nlohmann::json::array();
  for (const auto& object : objects)
    items.push_back(withoutNoise(object));
  return written({{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}}, form);
}

}  // namespace sumac::cli
