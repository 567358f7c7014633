#include "job/document/resolve.h"

#include <algorithm>
#include <string>

#include "base/core/check.h"
#include "base/core/file.h"
#include "base/yaml/reader.h"
#include "base/yaml/scalar.h"
#include "job/document/choose.h"
#include "job/document/edit.h"
#include "job/document/field.h"

namespace sumac::job {

namespace {

yaml::Node defaultNode(const std::string& text) {
  yaml::Document document = yaml::parse(text);
  SUMAC_CHECK(document.root.has_value());
  document.root->position = {};
  return std::move(*document.root);
}

yaml::Node* mutableField(yaml::Node& map, std::string_view name) {
  for (auto& [key, value] : map.fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

void dropNulls(const Field& field, yaml::Node& self);

/// Removes optional fields that are null.
void dropNullFields(const Field& object, yaml::Node& self) {
  for (const Field& field : object.fields) {
    yaml::Node* const value = field.ignored ? nullptr : mutableField(self, field.name);
    if (value == nullptr) continue;
    if (value->kind != yaml::Kind::kNull) {
      dropNulls(field, *value);
    } else if (!field.required) {
      removeField(self, field.name);
    }
  }
}

void dropNullEntries(yaml::Node& map) {
  for (std::size_t i = map.fields.size(); i > 0; --i) {
    if (map.fields[i - 1].value.kind == yaml::Kind::kNull) {
      removeField(map, map.fields[i - 1].key);
    }
  }
}

/// `null` counts as absent, as it does to the API server.
void dropNulls(const Field& field, yaml::Node& self) {
  if (field.type == Type::kList && self.kind == yaml::Kind::kList) {
    for (yaml::Node& item : self.items)
      dropNulls(field.fields.front(), item);
  }
  if (self.kind != yaml::Kind::kMap) return;
  if (field.type == Type::kObject) dropNullFields(field, self);
  if (field.type == Type::kStringMap) dropNullEntries(self);
}

/// Applies one kind of default to a whole object.
void applyDefaults(const Field& object, yaml::Node& self, std::string Field::*which) {
  if (self.kind != yaml::Kind::kMap) return;
  for (const Field& field : object.fields) {
    if (field.ignored) continue;
    yaml::Node* value = mutableField(self, field.name);
    const std::string& text = field.*which;
    if (value == nullptr && !text.empty() && hasMeaning(field, object, self)) {
      setField(self, field.name, defaultNode(text));
      value = mutableField(self, field.name);
    }
    if (value != nullptr && field.type == Type::kObject) applyDefaults(field, *value, which);
  }
}

/// Takes out the defaults of what a program does itself.
void removeProgramsOwn(yaml::Node& root) {
  yaml::Node& spec = *mutableField(root, "spec");
  for (const std::string& path : internal::fieldsOfProgram()) {
    const auto dot = path.find('.');
    yaml::Node* const section = dot == path.npos ? &spec : mutableField(spec, path.substr(0, dot));
    if (section != nullptr) removeField(*section, path.substr(dot == path.npos ? 0 : dot + 1));
  }
}

bool usesServers(const yaml::Node& root) {
  const yaml::Node* const topology = nodeAt(root, "spec.strategy.topology");
  const yaml::Node* const exchange = nodeAt(root, "spec.strategy.exchange");
  return (exchange == nullptr || exchange->text == "parameterServer") &&
         (topology == nullptr || topology->text == "centralized");
}

}  // namespace

void applySchemaDefaults(yaml::Node& root) {
  applySchemaDefaults(rootField(), root);
}

void applySchemaDefaults(const Field& schema, yaml::Node& root) {
  dropNulls(schema, root);
  applyDefaults(schema, root, &Field::schema_default);
}

std::string applyWorkers(yaml::Node& root, const Overrides& overrides) {
  constexpr const char* kParts = "spec.training.logicalWorkers";
  std::string parts_from = kParts;
  const yaml::Node* const training = nodeAt(root, "spec.training");
  const bool can_set = training != nullptr && training->kind == yaml::Kind::kMap;
  if (can_set && training->find("logicalWorkers") == nullptr) {
    parts_from = nodeAt(root, "spec.worker.maxReplicas") == nullptr ? "spec.worker.replicas"
                                                                    : "spec.worker.maxReplicas";
    const yaml::Node* const workers = nodeAt(root, parts_from);
    const auto parts = workers == nullptr ? std::nullopt : yaml::integerOf(*workers);
    if (parts && *parts >= 1) {
      yaml::Node node = integerNode(*parts);
      node.position = workers->position;
      (void)setNode(root, kParts, std::move(node));
    }
  }
  if (overrides.workers) {
    (void)setNode(root, "spec.worker.replicas", integerNode(*overrides.workers));
  }
  if (overrides.servers) {
    (void)setNode(root, "spec.server.replicas", integerNode(*overrides.servers));
  }
  return parts_from;
}

void applyBase(yaml::Node& root, const std::filesystem::path& base) {
  yaml::Node* at = &root;
  for (const char* const name : {"spec", "data", "path"}) {
    if (at == nullptr || at->kind != yaml::Kind::kMap) return;
    at = mutableField(*at, name);
  }
  if (at == nullptr || at->kind != yaml::Kind::kString || at->text.empty()) return;
  // No path at all: the checks refuse them as they were given.
  if (!folderNameProblem(at->text).empty()) return;
  const std::filesystem::path path(at->text);
  const bool goes_up = std::find(path.begin(), path.end(), "..") != path.end();
  // Behind a link, "link/.." is not the folder that the link is in.
  if (path.is_relative()) at->text = goes_up ? base / path : (base / path).lexically_normal();
}

void applyResolverDefaults(yaml::Node& root) {
  applyDefaults(rootField(), root, &Field::resolver_default);
  if (nodeAt(root, "spec.program") != nullptr) removeProgramsOwn(root);
  if (!usesServers(root)) removeField(*mutableField(root, "spec"), "server");
}

}  // namespace sumac::job
