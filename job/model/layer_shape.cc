#include "job/model/layer_shape.h"

#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "base/core/checked.h"

namespace sumac::model::internal {
namespace {

bool isImage(const Shape& shape) {
  return shape.size() == 3;
}

bool isSequence(const Shape& shape) {
  return shape.size() == 2;
}

Error fail(const std::string& reason) {
  return Error{ErrorCode::kInvalid, reason};
}

Error wrongInput(const std::string& wanted, const Shape& input) {
  return fail("takes " + wanted + ", but its input has the shape " + toString(input));
}

std::string square(int side) {
  return std::to_string(side) + "x" + std::to_string(side);
}

/// How a window moves over rows and columns.
struct Window {
  int kernel = 0;
  int stride = 0;
  int padding = 0;
  bool ceil = false;
};

/// The number of windows; 0 if none fits.
std::int64_t windows(std::int64_t extent, const Window& window) {
  const std::int64_t room = extent + 2 * std::int64_t{window.padding} - window.kernel;
  if (room < 0) return 0;
  const std::int64_t whole = room / window.stride + 1;
  const bool is_left = window.ceil && room % window.stride != 0;
  // The last window, which reaches beyond the image, must begin inside it or its left padding.
  return is_left && whole * window.stride < extent + window.padding ? whole + 1 : whole;
}

/// The output of a layer whose window moves over the rows and columns of its input.
Result<Shape> slide(const Shape& input, std::int64_t channels, const Window& window) {
  if (!isImage(input)) return wrongInput("an image (channels x rows x columns)", input);
  const std::int64_t rows = windows(input[1], window);
  const std::int64_t columns = windows(input[2], window);
  if (rows == 0 || columns == 0) {
    return fail("its kernel " + square(window.kernel) + " with padding " +
                std::to_string(window.padding) + " does not fit into its input " + toString(input));
  }
  return Shape{channels, rows, columns};
}

/// Adds tensors, whose matrices are used at `positions` places of the output.
Result<LayerShape> learned(LayerShape shape, const Shape& input, std::int64_t positions) {
  std::int64_t parameters = 0;
  std::int64_t weights = 0;
  for (const Tensor& tensor : shape.tensors) {
    const auto values = boundedCount(tensor.shape);
    parameters += values.value_or(kMaxCount + 1);
    if (!values || parameters > kMaxCount) {
      return fail("its weights " + toString(tensor.shape) + " for the input " + toString(input) +
                  " make more than 2^40 parameters");
    }
    if (tensor.shape.size() > 1) weights += *values;
  }
  const auto macs = checkedMultiply(positions, weights);
  if (!macs) {
    return fail("from the shape " + toString(input) + " to " + toString(shape.output) +
                ": its multiply-accumulates exceed 64 bits");
  }
  shape.macs = *macs;
  return shape;
}

/// Weight and, if there is one, bias.
std::vector<Tensor> weightAndBias(Shape weight, std::int64_t fan_in, std::int64_t fan_out,
                                  bool has_bias) {
  const std::int64_t outputs = weight[0];
  std::vector<Tensor> tensors{
      {.name = "weight", .shape = std::move(weight), .fan_in = fan_in, .fan_out = fan_out}};
  if (has_bias) {
    tensors.push_back({.name = "bias",
                       .shape = {outputs},
                       .fan_in = fan_in,
                       .fan_out = fan_out,
                       .is_bias = true});
  }
  return tensors;
}

Result<LayerShape> shapeOfKind(Conv2d& conv, const Shape& input, const Place& /*place*/) {
  if (conv.outputs < 1 || conv.kernel < 1 || conv.stride < 1 || conv.groups < 1) {
    return fail("outputs, kernel, stride and groups must be >= 1");
  }
  if (conv.padding < 0 || conv.padding >= conv.kernel) {
    return fail("found padding " + std::to_string(conv.padding) +
                ", must be >= 0 and below the kernel's size " + std::to_string(conv.kernel));
  }
  auto output = slide(input, conv.outputs, {conv.kernel, conv.stride, conv.padding, false});
  if (!output) return output.error();
  if (input[0] % conv.groups != 0 || conv.outputs % conv.groups != 0) {
    return fail("found " + std::to_string(conv.groups) + " groups, which must divide the " +
                std::to_string(input[0]) + " channels of its input " + toString(input) +
                " and its " + std::to_string(conv.outputs) + " outputs");
  }
  const std::int64_t inputs = input[0] / conv.groups;
  const std::int64_t area = std::int64_t{conv.kernel} * conv.kernel;
  const auto fan_in = checkedMultiply(inputs, area);
  const auto fan_out = checkedMultiply<std::int64_t>(conv.outputs / conv.groups, area);
  const std::int64_t positions = (*output)[1] * (*output)[2];
  LayerShape shape{std::move(*output)};
  shape.tensors = weightAndBias({conv.outputs, inputs, conv.kernel, conv.kernel},
                                fan_in.value_or(1), fan_out.value_or(1), conv.bias);
  return learned(std::move(shape), input, positions);
}

template <PoolOperation kOperation>
Result<LayerShape> shapeOfKind(Pool<kOperation>& pool, const Shape& input, const Place& /*place*/) {
  if (pool.stride == 0) pool.stride = pool.kernel;
  if (pool.kernel < 1 || pool.stride < 1) return fail("kernel and stride must be >= 1");
  if (kOperation == PoolOperation::kMax && pool.kernel > kLargestMaxPool) {
    return fail("found a kernel of " + square(pool.kernel) + ", must be at most " +
                square(kLargestMaxPool));
  }
  if (pool.padding < 0 || pool.padding > pool.kernel / 2) {
    return fail("found padding " + std::to_string(pool.padding) +
                ", must be >= 0 and at most half of the kernel's size " +
                std::to_string(pool.kernel));
  }
  const std::int64_t channels = input[0];
  auto output = slide(input, channels, {pool.kernel, pool.stride, pool.padding, pool.ceil});
  if (!output) return output.error();
  return LayerShape{std::move(*output)};
}

Result<LayerShape> shapeOfKind(GlobalAveragePool& /*pool*/, const Shape& input,
                               const Place& /*place*/) {
  if (!isImage(input)) return wrongInput("an image (channels x rows x columns)", input);
  return LayerShape{{input[0]}};
}

/// Relu, tanh, sigmoid: value by value.
template <typename Activation>
Result<LayerShape> shapeOfKind(Activation& /*activation*/, const Shape& input,
                               const Place& /*place*/) {
  static_assert(std::is_same_v<Activation, Relu> || std::is_same_v<Activation, Tanh> ||
                std::is_same_v<Activation, Sigmoid>);
  return LayerShape{input};
}

Result<LayerShape> shapeOfKind(Flatten& /*flatten*/, const Shape& input, const Place& /*place*/) {
  if (isSequence(input)) return wrongInput("an image or a vector", input);
  return LayerShape{{count(input)}};
}

Result<LayerShape> shapeOfKind(Dense& dense, const Shape& input, const Place& place) {
  if (place.is_text && dense.outputs == 0) dense.outputs = static_cast<int>(place.vocabulary);
  if (dense.outputs < 1) {
    return fail(
        "outputs must be >= 1; only in a text network may they be left out, for the vocabulary");
  }
  if (isImage(input)) {
    return fail("takes a vector, but its input has the shape " + toString(input) +
                "; a flatten layer before it makes that a vector of " +
                std::to_string(count(input)));
  }
  LayerShape shape{input};
  shape.output.back() = dense.outputs;
  shape.tensors =
      weightAndBias({dense.outputs, input.back()}, input.back(), dense.outputs, dense.bias);
  return learned(std::move(shape), input, isSequence(input) ? input[0] : 1);
}

Result<LayerShape> shapeOfKind(Dropout& dropout, const Shape& input, const Place& /*place*/) {
  if (dropout.rate >= 0 && dropout.rate < 1) return LayerShape{input};
  return fail("its rate must be >= 0 and < 1");
}

Result<LayerShape> shapeOfKind(BatchNorm& norm, const Shape& input, const Place& /*place*/) {
  if (isSequence(input)) return wrongInput("an image or a vector", input);
  if (!(norm.epsilon > 0)) return fail("its epsilon must be > 0");
  if (!(norm.momentum > 0 && norm.momentum <= 1)) return fail("its momentum must be > 0 and <= 1");
  const std::int64_t channels = input[0];
  LayerShape shape{input};
  shape.tensors = weightAndBias({channels}, /*fan_in=*/1, /*fan_out=*/1, /*has_bias=*/true);
  shape.tensors[0].is_scale = true;
  shape.statistics = 2 * channels;
  return learned(std::move(shape), input, /*positions=*/1);
}

Result<LayerShape> shapeOfKind(Residual& /*residual*/, const Shape& /*input*/,
                               const Place& /*place*/) {
  return fail("a residual must not contain another residual");
}

Result<LayerShape> shapeOfKind(Add& /*add*/, const Shape& /*input*/, const Place& /*place*/) {
  return fail("is only made of a residual's end");
}

Result<LayerShape> shapeOfKind(Embedding& embedding, const Shape& input, const Place& place) {
  if (embedding.outputs < 1) return fail("outputs must be >= 1");
  if (!place.is_first) return fail("must be the first layer: it takes the numbers of words");
  if (input.size() != 1) return wrongInput("a sequence of words (time steps)", input);
  if (place.vocabulary < 2) {
    return fail("the vocabulary is not known: neither the model nor the data give one");
  }
  LayerShape shape{{input[0], embedding.outputs}};
  // Its rows are looked up one at a time: a value's width follows from the row's length, not from
  // the number of words.
  shape.tensors = weightAndBias({place.vocabulary, embedding.outputs}, embedding.outputs,
                                embedding.outputs, /*has_bias=*/false);
  return learned(std::move(shape), input, /*positions=*/0);
}

Result<LayerShape> shapeOfKind(Lstm& lstm, const Shape& input, const Place& /*place*/) {
  constexpr int kMaxLayers = 64;
  if (lstm.outputs < 1) return fail("outputs must be >= 1");
  if (lstm.layers < 1 || lstm.layers > kMaxLayers) {
    return fail("layers must be >= 1 and <= " + std::to_string(kMaxLayers));
  }
  if (!isSequence(input)) {
    return wrongInput("a sequence (time steps x features), as an embedding gives", input);
  }
  const std::int64_t outputs = lstm.outputs;
  LayerShape shape{{input[0], outputs}};
  for (int i = 0; i < lstm.layers; ++i) {
    const std::int64_t inputs = i == 0 ? input[1] : outputs;
    const std::string ordinal = std::to_string(i);
    const std::int64_t fan_in = inputs + outputs;  // each gate sees both
    shape.tensors.push_back({.name = "weight_ih_l" + ordinal,
                             .shape = {4 * outputs, inputs},
                             .fan_in = fan_in,
                             .fan_out = outputs});
    shape.tensors.push_back({.name = "weight_hh_l" + ordinal,
                             .shape = {4 * outputs, outputs},
                             .fan_in = fan_in,
                             .fan_out = outputs});
    shape.tensors.push_back({.name = "bias_l" + ordinal,
                             .shape = {4 * outputs},
                             .fan_in = fan_in,
                             .fan_out = outputs,
                             .is_bias = true});
  }
  shape.recurrent = 2 * outputs * lstm.layers;
  return learned(std::move(shape), input, input[0]);
}

Result<LayerShape> shapeOfKind(SoftmaxCrossEntropy& /*loss*/, const Shape& input,
                               const Place& place) {
  constexpr std::int64_t kMaxClasses = std::numeric_limits<int>::max();
  if (place.is_text && (!isSequence(input) || input[1] != place.vocabulary)) {
    return wrongInput("a value for each of the " + std::to_string(place.vocabulary) +
                          " words of the vocabulary at every time step",
                      input);
  }
  if (isImage(input) || input.back() < 2 || input.back() > kMaxClasses) {
    return wrongInput("a vector with a value for each of at least 2 classes", input);
  }
  return LayerShape{input};
}

}  // namespace

std::optional<std::int64_t> boundedCount(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) {
    const auto next = checkedMultiply(product, extent);
    if (!next || *next > kMaxCount) return std::nullopt;
    product = *next;
  }
  return product;
}

Result<LayerShape> shapeOf(LayerKind& kind, const Shape& input, const Place& place) {
  return std::visit([&](auto& own) { return shapeOfKind(own, input, place); }, kind);
}

}  // namespace sumac::model::internal
