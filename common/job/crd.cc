#include "common/job/crd.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "common/job/crd_rules.h"
#include "common/job/explain.h"
#include "common/job/field.h"
#include "common/job/yaml_writer.h"

namespace sumac::job {

namespace {

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
