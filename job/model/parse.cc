#include "job/model/parse.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/yaml/scalar.h"
#include "job/model/layer_types.h"

namespace sumac::model {
namespace {

using yaml::Kind;
using yaml::Node;
using yaml::Position;

using internal::Form;
using internal::Key;
using internal::Type;

bool isResidual(const Type& type) {
  return std::holds_alternative<Residual>(type.kind);
}

Error failAt(Position position, const std::string& message) {
  return Error{ErrorCode::kInvalid, std::to_string(position.line) + ":" +
                                        std::to_string(position.column) + ": " + message};
}

std::string shown(const Node& node) {
  switch (node.kind) {
    case Kind::kNull: return "nothing";
    case Kind::kList: return "a list";
    case Kind::kMap: return "a map";
    default: return "'" + node.text + "'";
  }
}

std::vector<std::string_view> keysOf(const Type& type) {
  std::vector<std::string_view> names{"type", "name"};
  for (const Key& key : type.keys)
    names.push_back(key.name);
  if (isResidual(type)) names.insert(names.end(), {"layers", "shortcut"});
  return names;
}

Result<const Type*> typeOf(const Node& layer, const std::string& path) {
  const Node* node = layer.find("type");
  if (node == nullptr) return failAt(layer.position, path + ": type is missing");
  std::string names;
  for (const Type& type : internal::layerTypes()) {
    const auto name = kindName(type.kind);
    if (node->kind == Kind::kString && node->text == name) return &type;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return failAt(node->position,
                path + ".type: found " + shown(*node) + ", must be one of " + names);
}

Result<void> checkKeys(const Node& layer, const Type& type, const std::string& path) {
  const auto known = keysOf(type);
  for (std::size_t i = 0; i < layer.fields.size(); ++i) {
    const std::string& key = layer.fields[i].key;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const Position position =
        i < layer.field_positions.size() ? layer.field_positions[i] : layer.position;
    std::string list;
    for (const std::string_view name : known)
      list += (list.empty() ? "" : ", ") + std::string(name);
    return failAt(position, path + ": unknown key '" + key + "'; a layer of type " +
                                std::string(kindName(type.kind)) + " has " + list);
  }
  return {};
}

std::string rule(const Key& key) {
  switch (key.form) {
    case Form::kDecimal: return "must be a decimal number as a string, such as \"0.5\"";
    case Form::kBoolean: return "must be true or false";
    case Form::kInteger: break;
  }
  return "must be an integer from " + std::to_string(key.lowest) + " to " +
         std::to_string(key.highest);
}

/// `text` as a number; nothing if any of it is not part of one.
template <typename Number>
std::optional<Number> numberIn(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return number;
}

std::optional<double> valueOf(const Node& node, const Key& key) {
  switch (key.form) {
    case Form::kDecimal: {
      const auto number = numberIn<double>(node.text);
      const bool is_fine = node.kind == Kind::kString && number && std::isfinite(*number);
      return is_fine ? number : std::nullopt;
    }
    case Form::kBoolean: {
      const auto flag = yaml::booleanOf(node);
      return flag ? std::optional(*flag ? 1.0 : 0.0) : std::nullopt;
    }
    case Form::kInteger: break;
  }
  const auto number = numberIn<int>(node.text);
  const bool is_fine =
      node.kind == Kind::kInteger && number && *number >= key.lowest && *number <= key.highest;
  return is_fine ? std::optional<double>(*number) : std::nullopt;
}

Result<double> valueIn(const Node& layer, const Key& key, const std::string& path) {
  const std::string where = path + "." + std::string(key.name) + ": ";
  const Node* node = layer.find(key.name);
  if (node == nullptr) {
    if (key.otherwise) return *key.otherwise;
    return failAt(layer.position, where + "missing, " + rule(key));
  }
  if (const auto value = valueOf(*node, key)) return *value;
  return failAt(node->position, where + "found " + shown(*node) + ", " + rule(key));
}

Result<std::string> nameOf(const Node& layer, const std::string& path) {
  const Node* node = layer.find("name");
  if (node == nullptr) return std::string{};
  if (node->kind == Kind::kString && isLayerName(node->text)) return node->text;
  return failAt(node->position,
                path + ".name: found " + shown(*node) + ", must be " + std::string(kLayerNameRule));
}

Result<std::vector<LayerSpec>> parseList(const Node& list, const std::string& path,
                                         bool takes_residuals);

/// The lists of a residual. Nested ones would need any number of levels; the document's schema has
/// one.
Result<LayerKind> parseResidual(const Node& layer, const std::string& path) {
  Residual residual;
  const Node* const layers = layer.find("layers");
  if (layers == nullptr) {
    return failAt(layer.position, path + ".layers: missing, must be a list of layers");
  }
  auto inner = parseList(*layers, path + ".layers", /*takes_residuals=*/false);
  if (!inner) return inner.error();
  residual.layers = std::move(*inner);
  if (const Node* const shortcut = layer.find("shortcut")) {
    auto beside = parseList(*shortcut, path + ".shortcut", /*takes_residuals=*/false);
    if (!beside) return beside.error();
    residual.shortcut = std::move(*beside);
  }
  return LayerKind(std::move(residual));
}

Result<LayerKind> parseKind(const Node& layer, const Type& type, const std::string& path) {
  internal::Values values;
  for (const Key& key : type.keys) {
    const auto value = valueIn(layer, key, path);
    if (!value) return value.error();
    values.add(*value);
  }
  return type.make == nullptr ? type.kind : type.make(values);
}

Result<LayerSpec> parseLayer(const Node& layer, const std::string& path, bool takes_residuals) {
  if (layer.kind != Kind::kMap) {
    return failAt(layer.position, path + ": found " + shown(layer) + ", must be a map with a type");
  }
  const auto type = typeOf(layer, path);
  if (!type) return type.error();
  if (isResidual(**type) && !takes_residuals) {
    return failAt(layer.position, path + ": a residual must not contain another residual");
  }
  if (auto valid = checkKeys(layer, **type, path); !valid) return valid.error();
  auto name = nameOf(layer, path);
  if (!name) return name.error();
  auto kind = isResidual(**type) ? parseResidual(layer, path) : parseKind(layer, **type, path);
  if (!kind) return kind.error();
  return LayerSpec{std::move(*name), std::move(*kind), layer.position};
}

Result<std::vector<LayerSpec>> parseList(const Node& list, const std::string& path,
                                         bool takes_residuals) {
  if (list.kind != Kind::kList) {
    return failAt(list.position, path + ": found " + shown(list) + ", must be a list of layers");
  }
  std::vector<LayerSpec> layers;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    auto layer = parseLayer(list.items[i], path + "[" + std::to_string(i) + "]", takes_residuals);
    if (!layer) return layer.error();
    layers.push_back(std::move(*layer));
  }
  return layers;
}

}  // namespace

Result<NetworkSpec> parseLayers(const Node& layers, const Shape& input) {
  if (layers.kind != Kind::kList || layers.items.empty()) {
    return failAt(layers.position,
                  "layers: found " + (layers.kind == Kind::kList ? "none" : shown(layers)) +
                      ", must be a list of layers, the last of type softmaxCrossEntropy");
  }
  auto list = parseList(layers, "layers", /*takes_residuals=*/true);
  if (!list) return list.error();
  NetworkSpec spec{"custom", input, std::move(*list)};
  nameLayers(spec.layers);
  return spec;
}

}  // namespace sumac::model
