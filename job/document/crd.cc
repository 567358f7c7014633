#include "job/document/crd.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "job/document/explain.h"
#include "job/document/field.h"
#include "job/document/yaml_writer.h"

namespace sumac::job {

namespace {

/// One entry of x-kubernetes-validations.
struct CrdRule {
  std::string cel;
  std::string message;
};

/// A bound as a double of CEL, where "1" is an integer.
std::string literal(const std::string& bound) {
  return bound.find_first_of(".e") == bound.npos ? bound + ".0" : bound;
}

void addRange(const DecimalRange& range, std::vector<CrdRule>& rules) {
  const auto add = [&rules](const std::optional<std::string>& bound, const std::string& relation) {
    if (!bound) return;
    rules.push_back(
        {"double(self) " + relation + " " + literal(*bound), "must be " + relation + " " + *bound});
  };
  add(range.above, ">");
  add(range.at_least, ">=");
  add(range.below, "<");
}

/// If the sibling is absent, its default decides.
CrdRule onlyWith(const Field& child, const Field& object) {
  const OnlyWith& with = *child.only_with;
  const Field* const sibling = object.find(with.sibling);
  const std::string& otherwise =
      sibling->schema_default.empty() ? sibling->resolver_default : sibling->schema_default;
  const bool by_default =
      std::find(with.values.begin(), with.values.end(), otherwise) != with.values.end();
  std::string list;
  std::string words;
  for (const std::string& value : with.values) {
    list += (list.empty() ? "'" : ", '") + value + "'";
    words += (words.empty() ? "" : " or ") + value;
  }
  const std::string given = "has(self." + with.sibling + ")";
  const std::string one_of = "self." + with.sibling + " in [" + list + "]";
  return {"!has(self." + child.name + ") || " +
              (by_default ? "!" + given + " || " + one_of : "(" + given + " && " + one_of + ")"),
          child.name + " is only used with " + with.sibling + " " + words};
}

/// "has(self.server) && has(self.server.replicas)": CEL fails on a field of an absent object.
std::string given(const std::string& object, const std::string& path) {
  std::string text;
  for (std::size_t dot = path.find('.');; dot = path.find('.', dot + 1)) {
    text += (text.empty() ? "" : " && ") + ("has(" + object + "." + path.substr(0, dot) + ")");
    if (dot == path.npos) return text;
  }
}

std::string unchanged(const std::string& path) {
  const std::string now = "(" + given("self", path) + ")";
  const std::string before = "(" + given("oldSelf", path) + ")";
  return now + " == " + before + " && (!" + now + " || self." + path + " == oldSelf." + path + ")";
}

void addChanges(const Field& object, const std::string& prefix, std::vector<CrdRule>& rules) {
  for (const Field& field : object.fields) {
    const std::string path = prefix + field.name;
    if (field.change == Change::kNever) {
      rules.push_back({unchanged(path), path + " is immutable"});
    } else if (field.change == Change::kWhileSuspended) {
      rules.push_back({"self.suspend || oldSelf.suspend || (" + unchanged(path) + ")",
                       path + " changes only while suspended"});
    } else if (field.type == Type::kObject) {
      addChanges(field, path + ".", rules);
    }
  }
}

/// The CEL rules of one field: its range, its own rules, the rules between its fields, and for
/// `spec` the fields that must not change.
std::vector<CrdRule> crdRules(const Field& field) {
  std::vector<CrdRule> rules;
  if (field.type == Type::kDecimal) addRange(field.range, rules);
  for (const Rule& rule : field.rules)
    rules.push_back({rule.cel, rule.message});
  for (const Field& child : field.fields) {
    if (child.only_with) rules.push_back(onlyWith(child, field));
  }
  if (field.name == "spec" && field.type == Type::kObject) addChanges(field, "", rules);
  return rules;
}

using Json = nlohmann::ordered_json;

Json defaultValue(const Field& field) {
  const std::string& text = field.schema_default;
  if (field.type == Type::kString || field.type == Type::kChoice) return text;
  return Json::parse(text);
}

Json schemaOf(const Field& field);

void addObject(const Field& field, Json& schema) {
  schema["type"] = "object";
  if (field.open) schema["x-kubernetes-preserve-unknown-fields"] = true;
  Json required = Json::array();
  Json properties = Json::object();
  for (const Field& child : field.fields) {
    if (child.required) required.push_back(child.name);
    properties[child.name] = schemaOf(child);
  }
  if (!required.empty()) schema["required"] = required;
  schema["properties"] = properties;
}

void addInteger(const Field& field, Json& schema) {
  const bool small = field.maximum && *field.maximum <= std::numeric_limits<std::int32_t>::max();
  schema["type"] = "integer";
  schema["format"] = small ? "int32" : "int64";
  if (field.minimum) schema["minimum"] = *field.minimum;
  if (field.maximum) schema["maximum"] = *field.maximum;
}

/// Minimum and maximum apply to integers only, the pattern to strings only.
void addIntegerOrWord(const Field& field, Json& schema) {
  schema["x-kubernetes-int-or-string"] = true;
  schema["anyOf"] = {{{"type", "integer"}}, {{"type", "string"}}};
  if (field.minimum) schema["minimum"] = *field.minimum;
  if (field.maximum) schema["maximum"] = *field.maximum;
  std::string words;
  for (const Choice& choice : field.choices)
    words += (words.empty() ? "" : "|") + choice.name;
  schema["pattern"] = "^(" + words + ")$";
}

void addString(const Field& field, Json& schema) {
  schema["type"] = "string";
  if (field.type == Type::kTime) {
    schema["format"] = "date-time";
  } else if (field.type == Type::kDecimal) {
    schema["maxLength"] = kDecimalMaxLength;
    schema["pattern"] = kDecimalPattern.expression;
  } else if (field.type == Type::kChoice) {
    schema["enum"] = Json::array();
    for (const Choice& choice : field.choices)
      schema["enum"].push_back(choice.name);
  } else {
    if (mustHaveText(field)) schema["minLength"] = 1;
    schema["maxLength"] = field.max_length;
    if (!field.pattern.expression.empty()) schema["pattern"] = field.pattern.expression;
  }
}

void addList(const Field& field, Json& schema) {
  schema["type"] = "array";
  if (field.minimum) schema["minItems"] = *field.minimum;
  schema["maxItems"] = field.max_length;
  if (field.name == "conditions") {
    schema["x-kubernetes-list-type"] = "map";
    schema["x-kubernetes-list-map-keys"] = {"type"};
  }
  schema["items"] = schemaOf(field.fields.front());
}

void addQuantity(Json& schema) {
  schema["x-kubernetes-int-or-string"] = true;
  schema["anyOf"] = {{{"type", "integer"}}, {{"type", "string"}}};
}

void addMap(Json& schema) {
  schema["type"] = "object";
  schema["maxProperties"] = 256;
  schema["additionalProperties"] = {{"type", "string"}, {"maxLength", 65536}};
}

void addType(const Field& field, Json& schema) {
  switch (field.type) {
    case Type::kObject: return addObject(field, schema);
    case Type::kList: return addList(field, schema);
    case Type::kInteger: return addInteger(field, schema);
    case Type::kIntegerOrWord: return addIntegerOrWord(field, schema);
    case Type::kString:
    case Type::kDecimal:
    case Type::kChoice:
    case Type::kTime: return addString(field, schema);
    case Type::kBoolean: schema["type"] = "boolean"; return;
    case Type::kQuantity: return addQuantity(schema);
    case Type::kStringMap: return addMap(schema);
    case Type::kAny:
      schema["type"] = "object";
      schema["x-kubernetes-preserve-unknown-fields"] = true;
      return;
  }
}

Json schemaOf(const Field& field) {
  Json schema;
  schema["description"] = descriptionOf(field);
  if (!field.schema_default.empty()) schema["default"] = defaultValue(field);
  addType(field, schema);
  Json rules = Json::array();
  for (const CrdRule& rule : crdRules(field)) {
    rules.push_back({{"rule", rule.cel}, {"message", rule.message}});
  }
  if (!rules.empty()) schema["x-kubernetes-validations"] = rules;
  return schema;
}

/// The API server knows apiVersion, kind and metadata itself; a schema may restrict only the name
/// in metadata.
Json rootSchema() {
  Json schema = {{"description", rootField().text}, {"type", "object"}, {"required", {"spec"}}};
  Json& properties = schema["properties"];
  properties["apiVersion"] = {{"type", "string"}};
  properties["kind"] = {{"type", "string"}};
  properties["metadata"] = {{"type", "object"},
                            {"properties", {{"name", schemaOf(*fieldAt("metadata.name"))}}}};
  properties["spec"] = schemaOf(*fieldAt("spec"));
  properties["status"] = schemaOf(*fieldAt("status"));
  return schema;
}

Json column(const char* name, const char* type, const char* path, const char* text,
            int priority = 0) {
  Json json = {{"name", name}, {"type", type}, {"jsonPath", path}, {"description", text}};
  if (priority != 0) json["priority"] = priority;
  return json;
}

Json columns() {
  return {
      column("State", "string", ".status.state", "What the job does."),
      column("Workers", "string", ".status.workers", "Ready and desired workers."),
      column("Progress", "integer", ".status.progress.percentage", "Steps done, in percent."),
      column("Restarts", "integer", ".status.restarts", "Attempts started because a pod failed."),
      column("Age", "date", ".metadata.creationTimestamp", "Time since creation."),
      column("Step", "integer", ".status.progress.step", "Steps done.", 1),
      column("Loss", "string", ".status.progress.loss", "Loss of the last steps.", 1),
      column("Speed", "string", ".status.progress.samplesPerSecond", "Samples per second.", 1),
      column("Message", "string", ".status.conditions[?(@.type==\"Running\")].message",
             "What the job waits for, or how it ended.", 1)};
}

Json version() {
  return {{"name", "v1alpha1"},
          {"served", true},
          {"storage", true},
          {"additionalPrinterColumns", columns()},
          {"subresources",
           {{"status", Json::object()},
            {"scale",
             {{"specReplicasPath", ".spec.worker.replicas"},
              {"statusReplicasPath", ".status.replicaStatuses.worker.active"},
              {"labelSelectorPath", ".status.workerSelector"}}}}},
          {"schema", {{"openAPIV3Schema", rootSchema()}}}};
}

}  // namespace

std::string crd() {
  const Json definition = {{"apiVersion", "apiextensions.k8s.io/v1"},
                           {"kind", "CustomResourceDefinition"},
                           {"metadata", {{"name", "trainingjobs.sumac.dev"}}},
                           {"spec",
                            {{"group", "sumac.dev"},
                             {"scope", "Namespaced"},
                             {"names",
                              {{"kind", "TrainingJob"},
                               {"listKind", "TrainingJobList"},
                               {"plural", "trainingjobs"},
                               {"singular", "trainingjob"},
                               {"shortNames", Json::array({"tjob"})},
                               {"categories", Json::array({"all", "sumac"})}}},
                             {"versions", Json::array({version()})}}}};
  return toYaml(definition);
}

}  // namespace sumac::job
