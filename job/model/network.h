#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/result.h"
#include "base/yaml/node.h"

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
  int groups = 1;    // independent groups of inputs and outputs
  bool bias = true;  // off where a batchNorm follows
};
enum class PoolOperation : std::uint8_t { kMax, kAverage };

/// A window that moves over the image. With `ceil` a last window may reach beyond the image but not
/// begin outside it (PyTorch's ceil_mode). An average counts the zeros of the padding, but not what
/// `ceil` adds beyond them (PyTorch's default).
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
/// Works on every time step of a sequence.
struct Dense {
  int outputs = 0;  // 0, in text networks only: the vocabulary
  bool bias = true;
};
/// In training only: sets each value to zero with probability `rate` and scales the others by
/// 1 / (1 - rate).
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
/// The sum of two earlier layers: resolve() puts it at the end of a residual.
struct Add {};
/// Maps the numbers of words to vectors; always the first layer.
struct Embedding {
  int outputs = 0;
};
/// Hochreiter and Schmidhuber 1997 without peepholes, `layers` of them, one above the other. In
/// memory the gates have the order input, forget, output, candidate, and one bias; in files they
/// are PyTorch's (checkpoint::fileTensors). h and c carry over from step to step.
struct Lstm {
  int outputs = 0;
  int layers = 1;
};
/// Always the last layer. The job chooses mean or sum over the samples (training.loss).
struct SoftmaxCrossEntropy {};

using LayerKind =
    std::variant<Conv2d, MaxPool, AveragePool, GlobalAveragePool, Relu, Tanh, Sigmoid, Flatten,
                 Dense, Dropout, BatchNorm, Residual, Add, Embedding, Lstm, SoftmaxCrossEntropy>;

/// The kind as it is written in a job document: "conv2d".
std::string_view kindName(const LayerKind& kind);

/// One layer as it was specified.
struct LayerSpec {
  std::string name;
  LayerKind kind;
  yaml::Position position;
};

/// A network as it was specified: of the zoo, or a job's own `layers:`.
struct NetworkSpec {
  std::string name;
  Shape input;
  std::vector<LayerSpec> layers;
  int vocabulary = 0;  // of a text network, if job and data do not set it; 0: they must

  /// Whether it begins with an embedding: trained on text.
  bool isText() const;
};

/// One tensor of learned parameters. Weights are [outputs][inputs of the group][kernel row][kernel
/// column], [outputs][inputs], an embedding's [words][outputs], a batchNorm's [channels].
struct Tensor {
  std::string name;  // "conv1.weight", "fc3.bias", "lstm1.weight_ih_l0"
  Shape shape;
  std::int64_t offset = 0;  // of its first value among all parameters of the network, in plan order
  // For the initialisers: of a group of a convolution; of one gate of an lstm, inputs and outputs
  // together; of an embedding the outputs twice.
  std::int64_t fan_in = 0;
  std::int64_t fan_out = 0;
  bool is_bias = false;   // zero at first
  bool is_scale = false;  // one at first: batchNorm's weight

  std::int64_t count() const { return model::count(shape); }
};

/// Part state of one layer: its offset in the network's part state, and its number of values.
struct StateRange {
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

/// A layer with its shapes; the loss's output has the shape of its input.
struct Layer {
  // Never a residual: resolve() replaces it by its layers, named "residual1.conv1", those of its
  // shortcut, "residual1.shortcut.conv1", and an Add with its own name.
  LayerSpec spec;
  // The layers whose outputs it takes, -1 for the network's input. Add has two: the last of the
  // residual's layers, then the last of its shortcut (if that is empty: the residual's input).
  std::vector<int> from;
  Shape input;
  Shape output;
  // Indices into Network::tensors: weight, then bias if there is one; of an lstm, for each of its
  // layers, weight_ih [4 outputs][inputs], weight_hh [4 outputs][outputs] and bias [4 outputs].
  // Empty without parameters.
  std::vector<int> tensors;
  std::int64_t macs = 0;  // multiply-accumulates of one sample's forward pass
  StateRange recurrent;   // of one sample: h and c of each layer of an lstm
  StateRange statistics;  // of one part: batchNorm's running means, then variances
};

/// A network whose shapes fit together. Each layer comes after those whose outputs it takes. All
/// parameters are in one vector, tensor after tensor ("plan order"), without gaps; gradients and
/// optimizer state have the same layout.
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

  /// Whether it begins with an embedding: trained on text.
  bool isText() const;
  /// The number of words it knows; 0 unless it is a text network.
  std::int64_t vocabulary() const;
};

/// Names each layer without a name by its kind and its number among that kind: "conv1", "dense2".
/// Layers of a residual and of its shortcut are counted separately.
void nameLayers(std::vector<LayerSpec>& layers);

/// The form of a layer's name, for messages.
inline constexpr std::string_view kLayerNameRule =
    "a letter, then up to 62 letters, digits, '_' or '-'";
bool isLayerName(std::string_view name);

/// The side of the largest max-pool window: kernels store a place in the window in a byte.
inline constexpr int kLargestMaxPool = 15;

/// The maximum number of values of one sample between two layers, and of parameters of a network.
/// Below it no product of extents in our code overflows 64 bits.
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;

/// Extents that a text network gets from its job and data.
struct TextExtents {
  int vocabulary = 0;  // 0: that of the network's own definition
  int unroll = 0;      // time steps of one sample; 0: as in NetworkSpec::input
};

/// Computes all shapes; `text` is for text networks only. Fails with kInvalid and a message that
/// names the layer and both shapes, after "line:column: " if the layer is from a document. The
/// result has the stride of every pool and the outputs of every dense layer.
Result<Network> resolve(const NetworkSpec& spec, TextExtents text = {});

/// The network as lines "key=value", equal for networks that compute the same with the same layout
/// of parameters. Members of a job compare its hash before they train together.
std::string canonicalText(const Network& network);

/// The zoo's network of this name. `classes`: that it tells apart; 0: its own. Fails with kNotFound
/// and a list of all names, and with kInvalid for classes of a text network.
Result<NetworkSpec> fromZoo(std::string_view name, int classes = 0);
/// All names, small networks first.
std::vector<std::string> zooNames();
/// The purpose of a network of the zoo in a few words. Requires a name of zooNames().
std::string_view zooPurpose(std::string_view name);

}  // namespace sumac::model
