#include "common/api/members.h"

#include <nlohmann/json.hpp>

namespace sumac::api {

using nlohmann::json;

const json& memberOf(const json& object, const char* name) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

std::string textOf(const json& object, const char* name) {
  const json& member = memberOf(object, name);
  return member.is_string() ? member.get<std::string>() : std::string();
}

}  // namespace sumac::api
