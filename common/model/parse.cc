#include "common/model/parse.h"

#include <array>
#include <charconv>
#include <span>

namespace sumac::model {
namespace {

using yaml::Kind;
using yaml::Node;
using yaml::Position;

/// A key with a number: its range, and its value when it is left out (none: it must be there).
struct Field {
  std::string_view name;
  int lowest = 0;
  int highest = 0;
  std::optional<int> otherwise;
};

constexpr int kMaxOutputs = 1'000'000;
constexpr int kMaxKernel = 1024;

constexpr Field kOutputs{"outputs", 1, kMaxOutputs, std::nullopt};
constexpr Field kKernel{"kernel", 1, kMaxKernel, std::nullopt};
constexpr Field kConvFields[]{
    kOutputs, kKernel, {"stride", 1, kMaxKernel, 1}, {"padding", 0, kMaxKernel - 1, 0}};
// Stride 0 stands for the kernel's size, see MaxPool; it cannot be written.
constexpr Field kPoolFields[]{kKernel, {"stride", 1, kMaxKernel, 0}};
constexpr Field kDenseFields[]{kOutputs};

/// A layer's type with the keys it has, and how their values, in the same order, make a layer.
struct Type {
  LayerKind (*make)(std::span<const int> values);
  std::span<const Field> fields;
};

const Type kTypes[]{
    {[](std::span<const int> v) -> LayerKind {
       return Conv2d{.outputs = v[0], .kernel = v[1], .stride = v[2], .padding = v[3]};
     },
     kConvFields},
    {[](std::span<const int> v) -> LayerKind { return MaxPool{.kernel = v[0], .stride = v[1]}; },
     kPoolFields},
    {[](std::span<const int>) -> LayerKind { return Relu{}; }, {}},
    {[](std::span<const int>) -> LayerKind { return Flatten{}; }, {}},
    {[](std::span<const int> v) -> LayerKind { return Dense{.outputs = v[0]}; }, kDenseFields},
    {[](std::span<const int>) -> LayerKind { return SoftmaxCrossEntropy{}; }, {}},
};

Error failAt(Position position, const std::string& message) {
  return Error{ErrorCode::kInvalid, std::to_string(position.line) + ":" +
                                        std::to_string(position.column) + ": " + message};
}

const Node* findField(const Node& map, std::string_view name) {
  for (const auto& [key, value] : map.fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string shown(const Node& node) {
  switch (node.kind) {
    case Kind::kNull: return "nothing";
    case Kind::kList: return "a list";
    case Kind::kMap: return "a map";
    default: return "'" + node.text + "'";
  }
}

std::string keyList(const Type& type) {
  std::string list = "type, name";
  for (const Field& field : type.fields)
    list += ", " + std::string(field.name);
  return list;
}

Result<const Type*> typeOf(const Node& layer, const std::string& path) {
  const Node* node = findField(layer, "type");
  if (node == nullptr) return failAt(layer.position, path + ": type is missing");
  std::string names;
  for (const Type& type : kTypes) {
    constexpr std::array<int, 4> kUnused{};
    const auto name = kindName(type.make(kUnused));
    if (node->kind == Kind::kString && node->text == name) return &type;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return failAt(node->position,
                path + ".type: found " + shown(*node) + ", must be one of " + names);
}

Result<void> checkKeys(const Node& layer, const Type& type, const std::string& path) {
  for (std::size_t i = 0; i < layer.fields.size(); ++i) {
    const std::string& key = layer.fields[i].key;
    bool known = key == "type" || key == "name";
    for (const Field& field : type.fields)
      known = known || key == field.name;
    if (known) continue;
    const Position position =
        i < layer.field_positions.size() ? layer.field_positions[i] : layer.position;
    return failAt(position, path + ": unknown key '" + key + "', a layer of type " +
                                findField(layer, "type")->text + " has " + keyList(type));
  }
  return {};
}

Result<int> number(const Node& layer, const Field& field, const std::string& path) {
  const std::string where = path + "." + std::string(field.name) + ": ";
  const std::string rule = "must be an integer from " + std::to_string(field.lowest) + " to " +
                           std::to_string(field.highest);
  const Node* node = findField(layer, field.name);
  if (node == nullptr) {
    if (field.otherwise) return *field.otherwise;
    return failAt(layer.position, where + "missing, " + rule);
  }
  int value = 0;
  const char* end = node->text.data() + node->text.size();
  const auto parsed = std::from_chars(node->text.data(), end, value);
  const bool is_integer =
      node->kind == Kind::kInteger && parsed.ec == std::errc{} && parsed.ptr == end;
  if (!is_integer || value < field.lowest || value > field.highest) {
    return failAt(node->position, where + "found " + shown(*node) + ", " + rule);
  }
  return value;
}

Result<std::string> nameOf(const Node& layer, const std::string& path) {
  const Node* node = findField(layer, "name");
  if (node == nullptr) return std::string{};
  if (node->kind == Kind::kString && isLayerName(node->text)) return node->text;
  return failAt(node->position,
                path + ".name: found " + shown(*node) + ", must be " + std::string(kLayerNameRule));
}

Result<LayerSpec> parseLayer(const Node& layer, const std::string& path) {
  if (layer.kind != Kind::kMap) {
    return failAt(layer.position, path + ": found " + shown(layer) + ", must be a map with a type");
  }
  const auto type = typeOf(layer, path);
  if (!type) return type.error();
  if (auto valid = checkKeys(layer, **type, path); !valid) return valid.error();
  auto name = nameOf(layer, path);
  if (!name) return name.error();
  std::vector<int> values;
  for (const Field& field : (*type)->fields) {
    const auto value = number(layer, field, path);
    if (!value) return value.error();
    values.push_back(*value);
  }
  return LayerSpec{*name, (*type)->make(values), layer.position};
}

}  // namespace

Result<NetworkSpec> parseLayers(const Node& layers, const Shape& input) {
  if (layers.kind != Kind::kList || layers.items.empty()) {
    return failAt(layers.position,
                  "layers: found " + (layers.kind == Kind::kList ? "none" : shown(layers)) +
                      ", must be a list of layers, the last of type softmaxCrossEntropy");
  }
  NetworkSpec spec{"custom", input, {}};
  for (std::size_t i = 0; i < layers.items.size(); ++i) {
    auto layer = parseLayer(layers.items[i], "layers[" + std::to_string(i) + "]");
    if (!layer) return layer.error();
    spec.layers.push_back(std::move(*layer));
  }
  nameLayers(spec.layers);
  return spec;
}

}  // namespace sumac::model
