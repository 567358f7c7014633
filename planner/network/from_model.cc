#include "planner/network/from_model.h"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace sumac::planner {
namespace {

/// Writes what only the kind knows.
struct KindWriter {
  Layer& layer;

  void operator()(const model::Conv2d& conv) const {
    layer.kind = LayerKind::kConvolution;
    layer.kernel = {conv.kernel, conv.kernel};
    layer.stride = conv.stride;
    layer.groups = conv.groups;
  }
  template <model::PoolOperation kOperation>
  void operator()(const model::Pool<kOperation>& pool) const {
    layer.kind = LayerKind::kPool;
    layer.kernel = {pool.kernel, pool.kernel};
    layer.stride = pool.stride;
  }
  void operator()(const model::GlobalAveragePool& /*pool*/) const {
    layer.kind = LayerKind::kPool;
    layer.kernel = layer.input_extents;
  }
  void operator()(const model::Dense& /*dense*/) const { layer.kind = LayerKind::kDense; }
  void operator()(const model::Lstm& /*lstm*/) const { layer.kind = LayerKind::kRecurrent; }
  void operator()(const model::Embedding& /*embedding*/) const {
    layer.kind = LayerKind::kEmbedding;
  }
  void operator()(const model::BatchNorm& /*norm*/) const {
    layer.kind = LayerKind::kNormalization;
  }
  void operator()(const model::Relu& /*relu*/) const { activation(); }
  void operator()(const model::Tanh& /*tanh*/) const { activation(); }
  void operator()(const model::Sigmoid& /*sigmoid*/) const { activation(); }
  void operator()(const model::Flatten& /*flatten*/) const {}
  void operator()(const model::Dropout& /*dropout*/) const {}
  void operator()(const model::Residual& /*residual*/) const {}
  void operator()(const model::Add& /*add*/) const {}
  void operator()(const model::SoftmaxCrossEntropy& /*loss*/) const {}

  void activation() const { layer.kind = LayerKind::kActivation; }
};

/// Channels and extents of a shape: an image's channels come first, a sequence's features last.
void split(const model::Shape& shape, std::int64_t& channels, Extents& extents) {
  constexpr std::size_t kImage = 3;
  if (shape.size() == kImage) {
    channels = shape.front();
    extents.assign(shape.begin() + 1, shape.end());
  } else {
    channels = shape.back();
    extents.assign(shape.begin(), shape.end() - 1);
  }
}

Layer layerOf(const model::Network& network, const model::Layer& from) {
  Layer layer;
  layer.name = from.spec.name;
  split(from.input, layer.input_channels, layer.input_extents);
  split(from.output, layer.output_channels, layer.output_extents);
  std::visit(KindWriter{layer}, from.spec.kind);
  for (const int index : from.tensors) {
    const model::Tensor& tensor = network.tensors.at(static_cast<std::size_t>(index));
    (tensor.is_bias ? layer.biases : layer.weights) += tensor.count();
  }
  layer.macs = from.macs;
  if (layer.kind != LayerKind::kEmbedding) return layer;
  // Its input {time steps} holds one number a step, not a vector.
  layer.input_channels = 1;
  layer.input_extents = from.input;
  return layer;
}

}  // namespace

LayerList fromModel(const model::Network& network, std::string source) {
  LayerList list{network.name, std::move(source), {}};
  list.layers.reserve(network.layers.size());
  for (const model::Layer& layer : network.layers)
    list.layers.push_back(layerOf(network, layer));
  return list;
}

}  // namespace sumac::planner
