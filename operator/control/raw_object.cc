#include "operator/control/raw_object.h"

#include <nlohmann/json.hpp>

namespace sumac::control {
namespace {

std::string textOf(const nlohmann::json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

api::ObjectKey keyOfRaw(const nlohmann::json& object) {
  if (!object.is_object()) return {};
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return {};
  return {textOf(*metadata, "namespace"), textOf(*metadata, "name")};
}

}  // namespace sumac::control
