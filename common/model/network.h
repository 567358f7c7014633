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

/// Extents of one sample, batch not included: images are {channels, rows, columns}, sequences {time
/// steps, features}, vectors {features}; the input of a network that begins with an embedding is
/// {time steps}, each one word's number.
using Shape = std::vector<std::int64_t>;

/// "6x28x28".
std::string toString(const Shape& shape);

/// The number of values; requires a shape whose product fits (every resolved one does).
std::int64_t count(const Shape& shape);

struct LayerSpec;

struct Conv2d {
  int outputs = 0;
  int kernel = 0;
  int stride = 1;
  int padding = 0;
  int groups = 1;    // inputs and outputs fall into so many independent groups
  bool bias = true;  // off where a batchNorm follows
};
enum class PoolOperation : std::uint8_t { kMax, kAverage };

/// A window that moves over the image. With `ceil` a last window may reach beyond it by what is
/// left, though never begin outside (PyTorch's ceil_mode). In an average the border's zeros count,
/// what `ceil` adds beyond them does not (PyTorch's default).
template <PoolOperation kOperation>
struct Pool {
  int kernel = 0;
  int stride = 0;  // the kernel's size by default
  int padding = 0;
  bool ceil = false;
};
using MaxPool = Pool<PoolOperation::kMax>;
using AveragePool = Pool<PoolOperation::kAverage>;
struct GlobalAveragePool {};
struct Relu {};
struct Tanh {};
struct Sigmoid {};
struct Flatten {};
/// Of a sequence: at every time step.
struct Dense {
  int outputs = 0;  // 0, in text networks only: the vocabulary
  bool bias = true;
};
/// Training only: each value becomes zero with probability `rate`, the others grow by 1 / (1 -
/// rate).
struct Dropout {
  double rate = 0.5;
};
/// Over the samples of a part, per channel; running statistics of every part are part state.
struct BatchNorm {
  double epsilon = 1e-5;
  double momentum = 0.1;  // weight of a new step in the running statistics
};
/// y = layers(x) + shortcut(x); without a shortcut x itself. No residual inside a residual.
struct Residual {
  std::vector<LayerSpec> layers;
  std::vector<LayerSpec> shortcut;
};
/// The sum of two earlier layers: what resolve() makes of a residual's end.
struct Add {};
/// Words' numbers to vectors; always the first layer.
struct Embedding {
  int outputs = 0;
};
/// Hochreiter and Schmidhuber 1997 without peepholes, gates in the order input, forget, output,
/// candidate; `layers` of them, one above the other. Its h and c go on from step to step.
struct Lstm {
  int outputs = 0;
  int layers = 1;
};
/// Mean or sum over the samples is the job's choice (training.loss); always the last layer.
struct SoftmaxCrossEntropy {};

using LayerKind =
    std::variant<Conv2d, MaxPool, AveragePool, GlobalAveragePool, Relu, Tanh, Sigmoid, Flatten,
                 Dense, Dropout, BatchNorm, Residual, Add, Embedding, Lstm, SoftmaxCrossEntropy>;

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
  int vocabulary = 0;  // words of a text network where job and data say nothing; 0: they must

  /// Begins with an embedding: trained on text.
  bool isText() const;
};

/// What is learned: one tensor. Weights are [outputs][inputs of the group][kernel row][kernel
/// column], [outputs][inputs], an embedding's [words][outputs], a batchNorm's [channels].
struct Tensor {
  std::string name;  // "conv1.weight", "fc3.bias", "lstm1.weight_ih_l0"
  Shape shape;
  std::int64_t offset = 0;  // of its first value among all parameters of the network, in plan order
  // For the initialisers: of a group of a convolution; of one gate of an lstm, inputs and outputs
  // together; of an embedding the outputs twice.
  std::int64_t fan_in = 0;
  std::int64_t fan_out = 0;
  bool is_bias = false;   // begins at zero
  bool is_scale = false;  // begins at one: batchNorm's weight

  std::int64_t count() const { return model::count(shape); }
};

/// Part state of one layer: where it lies among the network's, and how many values it has.
struct StateRange {
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

/// A layer with its shapes; the loss's output has the shape of its input.
struct Layer {
  // Never a residual: resolve() puts in its place its layers, named "residual1.conv1", its
  // shortcut's, "residual1.shortcut.conv1", and an Add with its own name.
  LayerSpec spec;
  // The layers whose outputs it takes, -1 for the network's input; two of Add: the end of the
  // residual's layers, then of its shortcut (where that is empty: what the residual takes).
  std::vector<int> from;
  Shape input;
  Shape output;
  // Indices into Network::tensors: weight, then bias where there is one; of an lstm layer after
  // layer weight_ih [4 outputs][inputs], weight_hh [4 outputs][outputs] and bias [4 outputs]; empty
  // without parameters.
  std::vector<int> tensors;
  std::int64_t macs = 0;  // multiply-accumulates of one sample's forward pass
  StateRange recurrent;   // of one sample: an lstm's h, then c, layer after layer
  StateRange statistics;  // of one part: batchNorm's running means, then variances
};

/// A network whose shapes fit together; its layers stand in an order in which each takes what came
/// before. All parameters lie in one vector, tensor after tensor
/// ("plan order"), without gaps; gradients and optimizer state have the same layout.
struct Network {
  std::string name;
  Shape input;
  int classes = 0;
  std::vector<Layer> layers;
  std::vector<Tensor> tensors;
  std::int64_t parameters = 0;
  std::int64_t forward_macs = 0;
  // Part state: what a step leaves to the next besides weights
  // (docs/design/exchange.md#the-canonical-sum).
  std::int64_t recurrent = 0;   // values of one sample (a stream of text); zero at first
  std::int64_t statistics = 0;  // values of one part; means zero, variances one at first

  /// Begins with an embedding: trained on text.
  bool isText() const;
  /// Words that it knows; 0 unless it is a text network.
  std::int64_t vocabulary() const;
};

/// Gives each layer without a name that of its kind and its ordinal among its kind: "conv1",
/// "dense2"; those of a residual, of its shortcut too, are counted on their own.
void nameLayers(std::vector<LayerSpec>& layers);

/// What a name of a layer has to look like, in words for a message.
inline constexpr std::string_view kLayerNameRule =
    "a letter, then up to 62 letters, digits, '_' or '-'";
bool isLayerName(std::string_view name);

/// The most values that one sample may have between two layers, and the most parameters of a
/// network: below it no product of extents in our code leaves 64 bits.
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;

/// What a text network takes from its job and data.
struct TextExtents {
  int vocabulary = 0;  // 0: that of the network's own definition
  int unroll = 0;      // time steps of one sample; 0: as in NetworkSpec::input
};

/// Computes all shapes; `text` is for text networks and ignored by others. Fails with kInvalid and
/// a message that names the layer and both shapes, behind "line:column: " where the layer came from
/// a document. In the result every stride is set, and every dense layer's outputs.
Result<Network> resolve(const NetworkSpec& spec, TextExtents text = {});

/// The network as lines "key=value", the same for networks that compute the same with the same
/// layout of parameters: what members compare (as a hash) before they work together.
std::string canonicalText(const Network& network);

/// The zoo's network of this name; kNotFound lists the names there are.
Result<NetworkSpec> fromZoo(std::string_view name);
/// In the order in which people should see them: small before large.
std::vector<std::string> zooNames();
/// What a network of the zoo is for, in a few words. Requires a name of zooNames().
std::string_view zooPurpose(std::string_view name);

}  // namespace sumac::model
