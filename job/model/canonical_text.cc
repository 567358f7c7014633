#include <string>
#include <type_traits>

#include "base/core/units.h"
#include "job/model/network.h"

namespace sumac::model {
namespace {

template <typename Number>
std::string key(const char* name, Number value) {
  if constexpr (std::is_floating_point_v<Number>) {
    return std::string(" ") + name + " " + exactText(value);
  } else {
    return std::string(" ") + name + " " + std::to_string(value);
  }
}

// Everything in a layer that shapes and tensors do not show; outputs are in the shapes. A new
// member of a layer has to come here: the structured bindings below fail to compile until it does.

std::string detail(const Conv2d& conv) {
  const auto& [outputs, kernel, stride, padding, groups, bias] = conv;
  return key("outputs", outputs) + key("kernel", kernel) + key("stride", stride) +
         key("padding", padding) + key("groups", groups) + key("bias", bias);
}

template <PoolOperation kOperation>
std::string detail(const Pool<kOperation>& pool) {
  const auto& [kernel, stride, padding, ceil] = pool;
  return key("kernel", kernel) + key("stride", stride) + key("padding", padding) +
         key("ceil", ceil);
}

std::string detail(const Dense& dense) {
  const auto& [outputs, bias] = dense;
  return key("outputs", outputs) + key("bias", bias);
}

std::string detail(const Dropout& dropout) {
  const auto& [rate] = dropout;
  return key("rate", rate);
}

std::string detail(const BatchNorm& norm) {
  const auto& [epsilon, momentum] = norm;
  return key("epsilon", epsilon) + key("momentum", momentum);
}

std::string detail(const Embedding& embedding) {
  const auto& [outputs] = embedding;
  return key("outputs", outputs);
}

std::string detail(const Lstm& lstm) {
  const auto& [outputs, layers] = lstm;
  return key("outputs", outputs) + key("layers", layers);
}

/// Kinds without members.
template <typename Kind>
std::string detail(const Kind& /*kind*/) {
  static_assert(std::is_empty_v<Kind> || std::is_same_v<Kind, Residual>);
  return {};
}

std::string range(const char* name, const StateRange& range) {
  if (range.count == 0) return {};
  return std::string(" ") + name + " " + std::to_string(range.count) + " at " +
         std::to_string(range.offset);
}

std::string line(const Layer& layer) {
  std::string text = layer.spec.name + " " + std::string(kindName(layer.spec.kind)) +
                     std::visit([](const auto& kind) { return detail(kind); }, layer.spec.kind);
  for (const int from : layer.from)
    text += key("from", from);
  return text + ": " + toString(layer.input) + " to " + toString(layer.output) +
         range("recurrent", layer.recurrent) + range("statistics", layer.statistics);
}

}  // namespace

std::string canonicalText(const Network& network) {
  std::string text = "input=" + toString(network.input) + "\n";
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    text += "layer." + std::to_string(i) + "=" + line(network.layers[i]) + "\n";
  }
  for (std::size_t i = 0; i < network.tensors.size(); ++i) {
    const Tensor& tensor = network.tensors[i];
    text += "tensor." + std::to_string(i) + "=" + tensor.name + " " + toString(tensor.shape) +
            " at " + std::to_string(tensor.offset) + "\n";
  }
  return text + "parameters=" + std::to_string(network.parameters) + "\n";
}

}  // namespace sumac::model
