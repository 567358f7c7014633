#include "job/model/network_text.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/core/check.h"
#include "base/core/units.h"
#include "base/yaml/reader.h"
#include "job/model/layer_types.h"
#include "job/model/parse.h"

namespace sumac::model {
namespace {

// The values of a layer's keys, in the order of layerTypes(). A new member of a layer has to come
// here: the structured bindings fail to compile until it does.

std::vector<double> valuesOf(const Conv2d& conv) {
  const auto& [outputs, kernel, stride, padding, groups, bias] = conv;
  return {1.0 * outputs, 1.0 * kernel, 1.0 * stride, 1.0 * padding, 1.0 * groups, bias ? 1.0 : 0.0};
}

template <PoolOperation kOperation>
std::vector<double> valuesOf(const Pool<kOperation>& pool) {
  const auto& [kernel, stride, padding, ceil] = pool;
  return {1.0 * kernel, 1.0 * stride, 1.0 * padding, ceil ? 1.0 : 0.0};
}

std::vector<double> valuesOf(const Dense& dense) {
  const auto& [outputs, bias] = dense;
  return {1.0 * outputs, bias ? 1.0 : 0.0};
}

std::vector<double> valuesOf(const Dropout& dropout) {
  const auto& [rate] = dropout;
  return {rate};
}

std::vector<double> valuesOf(const BatchNorm& norm) {
  const auto& [epsilon, momentum] = norm;
  return {epsilon, momentum};
}

std::vector<double> valuesOf(const Embedding& embedding) {
  const auto& [outputs] = embedding;
  return {1.0 * outputs};
}

std::vector<double> valuesOf(const Lstm& lstm) {
  const auto& [outputs, layers] = lstm;
  return {1.0 * outputs, 1.0 * layers};
}

/// Kinds without keys.
template <typename Kind>
std::vector<double> valuesOf(const Kind& /*kind*/) {
  static_assert(std::is_empty_v<Kind> || std::is_same_v<Kind, Residual>);
  return {};
}

/// As the document has it: a decimal is a string, the shortest that reads back to the same number.
std::string written(double value, internal::Form form) {
  if (form == internal::Form::kBoolean) return value != 0 ? "true" : "false";
  if (form == internal::Form::kInteger) return std::to_string(static_cast<int>(value));
  return '"' + exactText(value) + '"';
}

const internal::Type& typeFor(const LayerKind& kind) {
  const auto types = internal::layerTypes();
  for (const internal::Type& type : types)
    if (type.kind.index() == kind.index()) return type;
  failCheck("a document can have every layer of a network", std::string(kindName(kind)));
}

std::string listText(const std::vector<LayerSpec>& layers);

std::string layerText(const LayerSpec& layer) {
  const internal::Type& type = typeFor(layer.kind);
  std::string text = R"({"type":")" + std::string(kindName(layer.kind)) + '"';
  if (!layer.name.empty()) text += R"(,"name":")" + layer.name + '"';
  const auto values = std::visit(
      [](const auto& kind) -> std::vector<double> { return valuesOf(kind); }, layer.kind);
  SUMAC_CHECK(values.size() == type.keys.size(), layer.name, values.size(), type.keys.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const internal::Key& key = type.keys[i];
    if (key.otherwise == values[i]) continue;
    text += ",\"" + std::string(key.name) + "\":" + written(values[i], key.form);
  }
  if (const auto* const residual = std::get_if<Residual>(&layer.kind)) {
    text += ",\"layers\":" + listText(residual->layers);
    if (!residual->shortcut.empty()) text += ",\"shortcut\":" + listText(residual->shortcut);
  }
  return text + '}';
}

std::string listText(const std::vector<LayerSpec>& layers) {
  std::string text = "[";
  for (const LayerSpec& layer : layers)
    text += (text.size() > 1 ? "," : "") + layerText(layer);
  return text + ']';
}

Error networkTextInvalid(const std::string& what) {
  return Error{ErrorCode::kInvalid, "the text of a network: " + what};
}

/// A whole number of at least 1; 0 for anything else.
std::int64_t countIn(const yaml::Node& node, std::int64_t most) {
  std::int64_t number = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto read = std::from_chars(node.text.data(), end, number);
  const bool is_fine = node.kind == yaml::Kind::kInteger && read.ec == std::errc{} &&
                       read.ptr == end && number >= 1 && number <= most;
  return is_fine ? number : 0;
}

Result<Shape> shapeIn(const yaml::Node* input) {
  constexpr std::size_t kMostExtents = 3;
  if (input == nullptr || input->items.empty() || input->items.size() > kMostExtents)
    return networkTextInvalid("input must be a list of one to three numbers");
  Shape shape;
  for (const yaml::Node& item : input->items) {
    shape.push_back(countIn(item, kMaxCount));
    if (shape.back() == 0)
      return networkTextInvalid("input has '" + item.text + "', must be a number from 1 on");
  }
  return shape;
}

}  // namespace

std::string networkText(const NetworkSpec& network) {
  std::string input;
  for (const std::int64_t extent : network.input)
    input += (input.empty() ? "" : ",") + std::to_string(extent);
  std::string text = R"({"name":")" + network.name + R"(","input":[)" + input + "]";
  if (network.vocabulary > 0) text += ",\"vocabulary\":" + std::to_string(network.vocabulary);
  return text + ",\"layers\":" + listText(network.layers) + '}';
}

Result<NetworkSpec> networkFromText(std::string_view text) {
  const yaml::Document document = yaml::parse(text);
  if (!document.root) return networkTextInvalid(document.message);
  const auto* const name = document.root->find("name");
  const auto* const layers = document.root->find("layers");
  const auto* const vocabulary = document.root->find("vocabulary");
  if (name == nullptr || !isLayerName(name->text)) {
    return networkTextInvalid("name must be " + std::string(kLayerNameRule));
  }
  if (layers == nullptr) return networkTextInvalid("layers is missing");
  const auto input = shapeIn(document.root->find("input"));
  if (!input) return input.error();
  auto spec = parseLayers(*layers, *input);
  if (!spec) return networkTextInvalid(spec.error().message);
  spec->name = name->text;
  if (vocabulary == nullptr) return spec;
  spec->vocabulary = static_cast<int>(countIn(*vocabulary, std::numeric_limits<int>::max()));
  if (spec->vocabulary == 0) return networkTextInvalid("vocabulary must be a number from 1 on");
  return spec;
}

}  // namespace sumac::model
