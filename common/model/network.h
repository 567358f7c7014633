#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/yaml/node.h"

namespace sumac::model {

/// Extents of one sample, batch not included: images are {channels, rows, columns}, vectors
/// {features}.
using Shape = std::vector<std::int64_t>;

/// "6x28x28".
std::string toString(const Shape& shape);

/// The number of values; requires a shape whose product fits (every resolved one does).
std::int64_t count(const Shape& shape);

struct Conv2d {
  int outputs = 0;
  int kernel = 0;
  int stride = 1;
  int padding = 0;
};
struct MaxPool {
  int kernel = 0;
  int stride = 0;  // the kernel's size by default
};
struct Relu {};
struct Flatten {};
struct Dense {
  int outputs = 0;
};
/// Mean or sum over the samples is the job's choice (training.loss); always the last layer.
struct SoftmaxCrossEntropy {};

using LayerKind = std::variant<Conv2d, MaxPool, Relu, Flatten, Dense, SoftmaxCrossEntropy>;

/// The kind as it is written in a job document: "conv2d".
std::string_view kindName(const LayerKind& kind);

/// One layer as it was asked for.
struct LayerSpec {
  std::string name;
  LayerKind kind;
  yaml::Position position;
};

/// A network as it was asked for: of the zoo, or a job's own `layers:`.
struct NetworkSpec {
  std::string name;
  Shape input;
  std::vector<LayerSpec> layers;
};

/// What is learned: one tensor. Weights are [outputs][inputs][kernel row][kernel column] or
/// [outputs][inputs].
struct Tensor {
  std::string name;  // "conv1.weight", "fc3.bias"
  Shape shape;
  std::int64_t offset = 0;  // of its first value among all parameters of the network, in plan order
  std::int64_t fan_in = 0;
  std::int64_t fan_out = 0;
  bool is_bias = false;

  std::int64_t count() const { return model::count(shape); }
};

/// A layer with its shapes; the loss's output has the shape of its input.
struct Layer {
  LayerSpec spec;
  Shape input;
  Shape output;
  std::vector<int>
      tensors;  // indices into Network::tensors: weight, then bias; empty without parameters
  std::int64_t macs = 0;  // multiply-accumulates of one sample's forward pass
};

/// A network whose shapes fit together. All parameters lie in one vector, tensor after tensor
/// ("plan order"), without gaps; gradients and optimizer state have the same layout.
struct Network {
  std::string name;
  Shape input;
  int classes = 0;
  std::vector<Layer> layers;
  std::vector<Tensor> tensors;
  std::int64_t parameters = 0;
  std::int64_t forward_macs = 0;
};

/// Gives each layer without a name that of its kind and its ordinal among its kind: "conv1",
/// "dense2".
void nameLayers(std::vector<LayerSpec>& layers);

/// What a name of a layer has to look like, in words for a message.
inline constexpr std::string_view kLayerNameRule =
    "a letter, then up to 62 letters, digits, '_' or '-'";
bool isLayerName(std::string_view name);

/// The most values that one sample may have between two layers, and the most parameters of a
/// network: below it no product of extents in our code leaves 64 bits.
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;

/// Computes all shapes. Fails with kInvalid and a message that names the layer and both shapes,
/// behind "line:column: " where the layer came from a document. In the result every stride is set.
Result<Network> resolve(const NetworkSpec& spec);

/// The network as lines "key=value", the same for networks that compute the same with the same
/// layout of parameters: what members compare (as a hash) before they work together.
std::string canonicalText(const Network& network);

/// The zoo's network of this name; kNotFound lists the names there are.
Result<NetworkSpec> fromZoo(std::string_view name);
std::vector<std::string> zooNames();

}  // namespace sumac::model
