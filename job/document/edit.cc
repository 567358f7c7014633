#include "job/document/edit.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/core/units.h"
#include "base/yaml/reader.h"
#include "job/document/field.h"

namespace sumac::job {

namespace {

std::pair<std::string_view, std::string_view> splitFirst(std::string_view path) {
  const auto dot = path.find('.');
  if (dot == path.npos) return {path, {}};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

yaml::Node* fieldOf(yaml::Node& map, std::string_view name) {
  for (auto& [key, value] : map.fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool holdsText(const Field* field) {
  if (field == nullptr) return false;
  return field->type == Type::kString || field->type == Type::kDecimal ||
         field->type == Type::kChoice;
}

Result<yaml::Node> valueOf(const std::string& path, std::string_view text) {
  yaml::Node value;
  if (holdsText(fieldAt(path))) {
    value.kind = yaml::Kind::kString;
    value.text = std::string(text);
    return value;
  }
  yaml::Document document = yaml::parse(text);
  if (!document.root) {
    return Error{ErrorCode::kInvalid,
                 "--set " + path + "=" + std::string(text) + ": " + document.message};
  }
  forgetPositions(*document.root);
  return std::move(*document.root);
}

/// Removes the field at `path`, if it is there.
void removeNode(yaml::Node& root, std::string_view path) {
  yaml::Node* at = &root;
  for (auto [first, rest] = splitFirst(path); at != nullptr;
       std::tie(first, rest) = splitFirst(rest)) {
    if (rest.empty()) return removeField(*at, first);
    at = fieldOf(*at, first);
  }
}

/// The index in "containers[0]"; nothing if it is none.
std::optional<std::size_t> indexIn(std::string_view brackets) {
  std::size_t index = 0;
  const char* const end = brackets.data() + brackets.size();
  const auto [after, error] = std::from_chars(brackets.data() + 1, end, index);
  if (error != std::errc() || after + 1 != end || *after != ']') return std::nullopt;
  return index;
}

/// The field that one step of a path names, "template" or "containers[0]". A field that is not
/// there becomes a map; a list gets no longer.
Result<yaml::Node*> placeOf(yaml::Node& map, std::string_view step) {
  const auto fail = [](const std::string& why) { return Error{ErrorCode::kInvalid, why}; };
  if (map.kind != yaml::Kind::kMap) {
    return fail("found " + std::string(yaml::toString(map.kind)) + " on the way to `" +
                std::string(step) + "`, not a map");
  }
  const std::string name(step.substr(0, step.find('[')));
  yaml::Node* field = fieldOf(map, name);
  if (name.size() == step.size()) {
    if (field != nullptr) return field;
    yaml::Node made;
    made.kind = yaml::Kind::kMap;
    setField(map, name, std::move(made));
    return fieldOf(map, name);
  }
  const auto index = indexIn(step.substr(name.size()));
  if (!index) {
    return fail("`" + std::string(step) + "` is no item of a list, such as " + name + "[0]");
  }
  const std::size_t size =
      field != nullptr && field->kind == yaml::Kind::kList ? field->items.size() : 0;
  if (*index < size) return &field->items[*index];
  return fail("`" + name + "` has " + counted(static_cast<std::int64_t>(size), "item") +
              ", the first is " + name +
              "[0]; write the item into the file, or set the whole "
              "list: " +
              name + "=[{...}]");
}

}  // namespace

const yaml::Node* nodeAt(const yaml::Node& root, std::string_view path) {
  const yaml::Node* at = &root;
  while (at != nullptr && !path.empty()) {
    const auto [first, rest] = splitFirst(path);
    at = at->find(first);
    path = rest;
  }
  return at;
}

void setField(yaml::Node& map, std::string_view name, yaml::Node value) {
  if (yaml::Node* const field = fieldOf(map, name)) {
    *field = std::move(value);
    return;
  }
  map.fields.push_back({std::string(name), std::move(value)});
  map.field_positions.push_back({});
}

void removeField(yaml::Node& map, std::string_view name) {
  for (std::size_t i = 0; i < map.fields.size(); ++i) {
    if (map.fields[i].key != name) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    map.fields.erase(map.fields.begin() + at);
    map.field_positions.erase(map.field_positions.begin() + at);
    return;
  }
}

Result<void> setNode(yaml::Node& root, std::string_view path, yaml::Node value) {
  yaml::Node changed = root;
  yaml::Node* at = &changed;
  for (std::string_view rest = path; !rest.empty();) {
    const auto [first, after] = splitFirst(rest);
    const auto place = placeOf(*at, first);
    if (!place) {
      return Error{ErrorCode::kInvalid,
                   "cannot set " + std::string(path) + ": " + place.error().message};
    }
    at = *place;
    rest = after;
  }
  *at = std::move(value);
  root = std::move(changed);
  return {};
}

std::string fullPath(std::string_view path) {
  const auto [first, rest] = splitFirst(path);
  return rootField().find(first) != nullptr ? std::string(path) : "spec." + std::string(path);
}

void forgetPositions(yaml::Node& node) {
  node.position = {};
  for (yaml::Node& item : node.items)
    forgetPositions(item);
  for (yaml::Position& position : node.field_positions)
    position = {};
  for (auto& [key, value] : node.fields)
    forgetPositions(value);
}

Result<void> setOrRemove(yaml::Node& root, std::string_view path, yaml::Node value) {
  if (value.kind != yaml::Kind::kNull || fieldAt(path) == nullptr)
    return setNode(root, path, std::move(value));
  removeNode(root, path);
  return {};
}

Result<void> applySet(yaml::Node& root, std::string_view assignment) {
  const auto equals = assignment.find('=');
  if (equals == assignment.npos || equals == 0) {
    return Error{ErrorCode::kInvalid, "--set " + std::string(assignment) +
                                          ": must be path=value, such as "
                                          "training.batchSize=64"};
  }
  const std::string path = fullPath(assignment.substr(0, equals));
  const std::string_view text = assignment.substr(equals + 1);
  if (text == "null" && fieldAt(path) != nullptr) {
    removeNode(root, path);
    return {};
  }
  Result<yaml::Node> value = valueOf(path, text);
  if (!value) return value.error();
  return setNode(root, path, std::move(*value));
}

yaml::Node integerNode(long long value) {
  yaml::Node node;
  node.kind = yaml::Kind::kInteger;
  node.text = std::to_string(value);
  return node;
}

}  // namespace sumac::job
