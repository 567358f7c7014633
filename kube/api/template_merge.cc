#include "kube/api/template_merge.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "kube/api/members.h"

namespace sumac::api {
namespace {

using nlohmann::json;

enum class Shape {
  kMap,        // merges
  kTexts,      // a map of texts, merges
  kWhole,      // a map that is replaced
  kByKey,      // a list of maps with a key; items merge
  kItemByKey,  // a list of maps with a key; items are replaced
  kMaps,       // a list of maps that is replaced
};

struct FieldRule {
  std::string_view name;
  Shape shape;
  std::string_view key;
  std::string_view second_key = {};  // absent in an item: any
};

/// The merge keys of PodTemplateSpec (Kubernetes' patchMergeKey). A name has the same key
/// wherever it occurs, so the table needs no paths.
constexpr std::array kRules = {
    FieldRule{"metadata", Shape::kMap, {}},
    FieldRule{"labels", Shape::kTexts, {}},
    FieldRule{"annotations", Shape::kTexts, {}},
    FieldRule{"spec", Shape::kMap, {}},
    FieldRule{"securityContext", Shape::kMap, {}},
    FieldRule{"containers", Shape::kByKey, "name"},
    FieldRule{"initContainers", Shape::kByKey, "name"},
    FieldRule{"volumes", Shape::kItemByKey, "name"},
    FieldRule{"env", Shape::kItemByKey, "name"},
    FieldRule{"volumeMounts", Shape::kItemByKey, "mountPath"},
    FieldRule{"volumeDevices", Shape::kItemByKey, "devicePath"},
    FieldRule{"ports", Shape::kItemByKey, "containerPort", "protocol"},
    FieldRule{"imagePullSecrets", Shape::kItemByKey, "name"},
    FieldRule{"schedulingGates", Shape::kItemByKey, "name"},
    FieldRule{"resourceClaims", Shape::kItemByKey, "name"},
    FieldRule{"hostAliases", Shape::kItemByKey, "ip"},
    FieldRule{"topologySpreadConstraints", Shape::kItemByKey, "topologyKey", "whenUnsatisfiable"},
    FieldRule{"tolerations", Shape::kMaps, {}},
    FieldRule{"readinessProbe", Shape::kWhole, {}},
    FieldRule{"livenessProbe", Shape::kWhole, {}},
    FieldRule{"startupProbe", Shape::kWhole, {}},
    FieldRule{"preStop", Shape::kWhole, {}},
    FieldRule{"postStart", Shape::kWhole, {}},
    FieldRule{"seccompProfile", Shape::kWhole, {}},
    FieldRule{"appArmorProfile", Shape::kWhole, {}},
};

constexpr std::string_view kFinalizers = "metadata.finalizers";

const FieldRule* ruleOf(std::string_view name) {
  const auto found = std::find_if(kRules.begin(), kRules.end(),
                                  [name](const FieldRule& rule) { return rule.name == name; });
  return found == kRules.end() ? nullptr : &*found;
}

Error wrong(const std::string& path, const std::string& why) {
  return {ErrorCode::kInvalid, path + ": " + why};
}

/// What is wrong with `value`; empty if it has the shape.
std::string shapeProblem(const FieldRule& rule, const json& value) {
  const bool wants_list =
      rule.shape == Shape::kByKey || rule.shape == Shape::kItemByKey || rule.shape == Shape::kMaps;
  if (!wants_list) {
    if (!value.is_object()) return "must be a map";
    const bool has_texts = rule.shape != Shape::kTexts ||
                           std::all_of(value.begin(), value.end(),
                                       [](const json& v) { return v.is_string() || v.is_null(); });
    return has_texts ? "" : "its values must be text";
  }
  if (!value.is_array()) return "must be a list";
  for (const json& item : value) {
    if (!item.is_object()) return "its items must be maps";
    if (rule.key.empty()) continue;
    const bool is_number = rule.key == "containerPort";
    const json key = item.value(rule.key, json());
    if (!(is_number ? key.is_number_integer() : key.is_string())) {
      return "each item needs " + std::string(rule.key) + (is_number ? ", a number" : ", a text");
    }
  }
  return "";
}

bool isSameItem(const FieldRule& rule, const json& a, const json& b) {
  if (a.at(rule.key) != b.at(rule.key)) return false;
  if (rule.second_key.empty()) return true;
  const auto in_a = a.find(rule.second_key);
  const auto in_b = b.find(rule.second_key);
  return in_a == a.end() || in_b == b.end() || *in_a == *in_b;
}

/// Merges and keeps the first error. Recursion is as deep as the templates, whose depth
/// api::jobFromJson() limits.
class Merger {
 public:
  /// Merges the fields of `over` into the map `base`.
  void mergeMap(json& base, const json& over, const std::string& path) {
    for (const auto& [name, value] : over.items()) {
      const std::string at = path.empty() ? name : path + "." + name;
      if (name.starts_with("$")) {
        refuse(at, "patch directives are not available in templates; null takes a field away");
      } else if (value.is_null()) {
        base.erase(name);
      } else {
        mergeField(base, name, value, at);
      }
    }
  }

  const std::optional<Error>& problem() const { return problem_; }

 private:
  void mergeField(json& base, const std::string& name, const json& value, const std::string& path) {
    if (path == kFinalizers && !(value.is_array() && value.empty())) {
      return refuse(path,
                    "templates may not have finalizers: the operator may not remove them, so a pod "
                    "would keep its name and block every restart; let the controller that removes "
                    "a finalizer add it to the pods");
    }
    const FieldRule* rule = ruleOf(name);
    if (rule != nullptr) {
      if (const std::string why = shapeProblem(*rule, value); !why.empty()) {
        return refuse(path, why);
      }
      if (rule->shape == Shape::kByKey || rule->shape == Shape::kItemByKey) {
        return mergeList(base[name], value, *rule, path);
      }
    }
    const bool is_whole = rule != nullptr && rule->shape == Shape::kWhole;
    json& target = base[name];
    if (!value.is_object() || is_whole || !target.is_object()) target = emptyOf(value);
    if (value.is_object()) {
      mergeMap(target, value, path);
    } else if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i)
        target.push_back(fresh(value[i], path + "[" + std::to_string(i) + "]"));
    } else {
      target = value;
    }
  }

  void mergeList(json& base, const json& over, const FieldRule& rule, const std::string& path) {
    if (!base.is_array()) base = json::array();
    for (const json& item : over) {
      const std::string at = path + "[" + item.at(rule.key).dump() + "]";
      const auto same = std::find_if(base.begin(), base.end(), [&](const json& candidate) {
        return isSameItem(rule, candidate, item);
      });
      if (same == base.end()) {
        base.push_back(fresh(item, at));
      } else if (rule.shape == Shape::kByKey) {
        mergeMap(*same, item, at);
      } else {
        *same = fresh(item, at);
      }
    }
  }

  static json emptyOf(const json& value) {
    if (value.is_object()) return json::object();
    return value.is_array() ? json::array() : json();
  }

  /// A checked copy without its nulls.
  json fresh(const json& value, const std::string& path) {
    if (!value.is_object()) return value;
    json copy = json::object();
    mergeMap(copy, value, path);
    return copy;
  }

  void refuse(const std::string& path, const std::string& why) {
    if (!problem_) problem_ = wrong(path, why);
  }

  std::optional<Error> problem_;
};

}  // namespace

Result<json> mergeTemplates(const json& base, const json& over) {
  if (over.is_null()) return base;
  if (!over.is_object()) return wrong("template", "must be a map");
  json merged = base;
  Merger merger;
  merger.mergeMap(merged, over, "");
  if (merger.problem()) return *merger.problem();
  return merged;
}

Result<void> checkTemplates(const json& document) {
  for (const char* const role : {"worker", "server"}) {
    const std::string path = "spec." + std::string(role) + ".template.";
    const json& own = memberOf(memberOf(memberOf(document, "spec"), role), "template");
    const auto merged = mergeTemplates(json::object(), own);
    if (!merged) return Error{ErrorCode::kInvalid, path + merged.error().message};
  }
  return {};
}

}  // namespace sumac::api
