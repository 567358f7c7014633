#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/onnx/export.h"
#include "engine/onnx/graph.h"
#include "job/model/network.h"

namespace sumac::onnx {

/// One layer while its nodes are added to a graph. The names of its values begin with its own and
/// a dot, so that they differ from those of other layers, of their tensors, and of the inputs.
struct LayerContext {
  const TrainedNetwork& trained;    // outlives us
  const model::Layer& layer;        // likewise
  Graph& graph;                     // likewise
  std::vector<std::string> inputs;  // the values that it takes

  const std::string& x() const { return inputs.front(); }
  /// "conv1.out".
  std::string own(const std::string& value) const { return layer.spec.name + "." + value; }
  std::string out() const { return own("out"); }

  /// The layer's n-th tensor, and its values.
  const model::Tensor& tensor(std::size_t n) const;
  std::span<const float> values(std::size_t n) const;
  /// The same as a constant of the graph.
  std::string weight(std::size_t n) const;
};

// Each adds a layer's nodes and returns the name of its output. Images are {samples, channels,
// rows, columns}, vectors {samples, features}, sequences {time steps, samples, features}.

std::string addNodes(const LayerContext& context, const model::Conv2d& conv);
std::string addNodes(const LayerContext& context, const model::MaxPool& pool);
std::string addNodes(const LayerContext& context, const model::AveragePool& pool);
std::string addNodes(const LayerContext& context, const model::GlobalAveragePool& pool);
std::string addNodes(const LayerContext& context, const model::BatchNorm& norm);
std::string addNodes(const LayerContext& context, const model::Embedding& embedding);
/// Also adds the layer's state to the graph's inputs and outputs.
std::string addNodes(const LayerContext& context, const model::Lstm& lstm);
std::string addNodes(const LayerContext& context, const model::Dense& dense);
std::string addNodes(const LayerContext& context, const model::Relu& relu);
std::string addNodes(const LayerContext& context, const model::Tanh& tanh);
std::string addNodes(const LayerContext& context, const model::Sigmoid& sigmoid);
std::string addNodes(const LayerContext& context, const model::Flatten& flatten);
std::string addNodes(const LayerContext& context, const model::Add& add);
/// What only training has adds none: the output is the input.
std::string addNodes(const LayerContext& context, const model::Dropout& dropout);
std::string addNodes(const LayerContext& context, const model::SoftmaxCrossEntropy& loss);
/// Never called: resolve() has replaced it.
std::string addNodes(const LayerContext& context, const model::Residual& residual);

}  // namespace sumac::onnx
