#include "job/model/network.h"

#include <algorithm>
#include <array>

#include "base/core/check.h"
#include "base/core/checked.h"

namespace sumac::model {
namespace {

// In the order of LayerKind's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<LayerKind>> kKindNames{
    "conv2d", "maxPool",   "averagePool", "globalAveragePool",
    "relu",   "tanh",      "sigmoid",     "flatten",
    "dense",  "dropout",   "batchNorm",   "residual",
    "add",    "embedding", "lstm",        "softmaxCrossEntropy"};
constexpr std::array<std::string_view, std::variant_size_v<LayerKind>> kNamePrefixes{
    "conv",  "pool",    "averagePool", "globalPool", "relu", "tanh",      "sigmoid", "flatten",
    "dense", "dropout", "norm",        "residual",   "add",  "embedding", "lstm",    "loss"};

constexpr std::size_t kMaxNameLength = 63;

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string toString(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text;
}

std::int64_t count(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) {
    const auto next = checkedMultiply(product, extent);
    SUMAC_CHECK(next.has_value(), toString(shape));
    product = *next;
  }
  return product;
}

std::string_view kindName(const LayerKind& kind) {
  return kKindNames.at(kind.index());
}

void nameLayers(std::vector<LayerSpec>& layers) {
  std::array<int, std::variant_size_v<LayerKind>> seen{};
  for (LayerSpec& layer : layers) {
    if (auto* residual = std::get_if<Residual>(&layer.kind)) {
      nameLayers(residual->layers);
      nameLayers(residual->shortcut);
    }
    const int ordinal = ++seen.at(layer.kind.index());
    if (!layer.name.empty()) continue;
    layer.name = std::string(kNamePrefixes.at(layer.kind.index())) + std::to_string(ordinal);
  }
}

bool isLayerName(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameLength || !isLetter(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return isLetter(c) || isDigit(c) || c == '_' || c == '-'; });
}

bool NetworkSpec::isText() const {
  return !layers.empty() && std::holds_alternative<Embedding>(layers.front().kind);
}

bool Network::isText() const {
  return !layers.empty() && std::holds_alternative<Embedding>(layers.front().spec.kind);
}

std::int64_t Network::vocabulary() const {
  return isText() ? tensors.at(0).shape.at(0) : 0;
}

}  // namespace sumac::model
