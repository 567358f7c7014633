#include "operator/trainingjob/children/pod_tools.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace sumac::trainingjob {

using nlohmann::json;

json programOf(const JsonTree& document, Role role) {
  if (role != Role::kWorker) return {};
  return memberOf(memberOf(*document, "spec"), "program");
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
