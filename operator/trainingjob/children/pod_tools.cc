#include "operator/trainingjob/children/pod_tools.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace sumac::trainingjob {

using nlohmann::json;

const json* itemOf(const json& list, const char* key, std::string_view value) {
  if (!list.is_array()) return nullptr;
  const auto found = std::find_if(list.begin(), list.end(), [&](const json& item) {
    const json& field = memberOf(item, key);
    return field.is_string() && field.get_ref<const std::string&>() == value;
  });
  return found == list.end() ? nullptr : &*found;
}

json& listIn(json& map, const char* name) {
  json& list = map[name];
  if (!list.is_array()) list = json::array();
  return list;
}

json& mainContainer(json& spec) {
  json& containers = listIn(spec, "containers");
  for (json& container : containers) {
    if (textOf(container, "name") == kMainContainer) return container;
  }
  return *containers.insert(containers.begin(), json{{"name", kMainContainer}});
}

void putItem(json& list, const char* key, json item) {
  const std::string value = textOf(item, key);
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&](const json& other) { return textOf(other, key) == value; }),
             list.end());
  list.push_back(std::move(item));
}

}  // namespace sumac::trainingjob
