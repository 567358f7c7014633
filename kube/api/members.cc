#include "kube/api/members.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace sumac::api {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

template <typename Json>
const Json& memberIn(const Json& object, const char* name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

}  // namespace

const json& memberOf(const json& object, const char* name) {
  return memberIn(object, name);
}

const ordered_json& memberOf(const ordered_json& object, const char* name) {
  return memberIn(object, name);
}

std::string textOf(const json& object, const char* name) {
  const json& member = memberOf(object, name);
  return member.is_string() ? member.get<std::string>() : std::string();
}

const json* itemOf(const json& list, const char* key, std::string_view value) {
  if (!list.is_array()) return nullptr;
  const auto found = std::find_if(list.begin(), list.end(), [&](const json& item) {
    const json& field = memberOf(item, key);
    return field.is_string() && field.get_ref<const std::string&>() == value;
  });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace sumac::api
