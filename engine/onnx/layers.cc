#include "engine/onnx/layers.h"

#include <cstdint>

#include "base/core/check.h"

namespace sumac::onnx {

const model::Tensor& LayerContext::tensor(std::size_t n) const {
  return trained.network.tensors.at(static_cast<std::size_t>(layer.tensors.at(n)));
}

std::span<const float> LayerContext::values(std::size_t n) const {
  return trained.weights.subspan(static_cast<std::size_t>(tensor(n).offset),
                                 static_cast<std::size_t>(tensor(n).count()));
}

std::string LayerContext::weight(std::size_t n) const {
  return graph.constantView(tensor(n).name, tensor(n).shape, values(n));
}

// A matrix for vectors; for sequences its product with the last axis.
std::string addNodes(const LayerContext& context, const model::Dense& dense) {
  std::vector<std::string> inputs{context.x(), context.weight(0)};
  if (context.layer.input.size() == 1) {
    if (dense.bias) inputs.push_back(context.weight(1));
    return context.graph.add("Gemm", inputs, context.out(), {{"transB", std::int64_t{1}}});
  }
  inputs[1] = context.graph.add("Transpose", {inputs[1]}, context.own("transposed"));
  if (!dense.bias) return context.graph.add("MatMul", inputs, context.out());
  const auto product = context.graph.add("MatMul", inputs, context.own("product"));
  return context.graph.add("Add", {product, context.weight(1)}, context.out());
}

std::string addNodes(const LayerContext& context, const model::Relu& /*relu*/) {
  return context.graph.add("Relu", {context.x()}, context.out());
}

std::string addNodes(const LayerContext& context, const model::Tanh& /*tanh*/) {
  return context.graph.add("Tanh", {context.x()}, context.out());
}

std::string addNodes(const LayerContext& context, const model::Sigmoid& /*sigmoid*/) {
  return context.graph.add("Sigmoid", {context.x()}, context.out());
}

std::string addNodes(const LayerContext& context, const model::Flatten& /*flatten*/) {
  return context.graph.add("Flatten", {context.x()}, context.out());
}

std::string addNodes(const LayerContext& context, const model::Add& /*add*/) {
  return context.graph.add("Add", context.inputs, context.out());
}

std::string addNodes(const LayerContext& context, const model::Dropout& /*dropout*/) {
  return context.x();
}

std::string addNodes(const LayerContext& context, const model::SoftmaxCrossEntropy& /*loss*/) {
  return context.x();
}

std::string addNodes(const LayerContext& context, const model::Residual& /*residual*/) {
  SUMAC_CHECK(false, context.layer.spec.name);
  return {};
}

}  // namespace sumac::onnx
