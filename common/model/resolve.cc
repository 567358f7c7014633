#include <algorithm>
#include <limits>
#include <set>

#include "common/base/checked.h"
#include "common/model/network.h"

namespace sumac::model {
namespace {

bool isImage(const Shape& shape) {
  return shape.size() == 3;
}

/// The number of values, or nothing beyond kMaxCount.
std::optional<std::int64_t> boundedCount(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) {
    const auto next = checkedMultiply(product, extent);
    if (!next || *next > kMaxCount) return std::nullopt;
    product = *next;
  }
  return product;
}

/// How often a window of `kernel` fits when it moves by `stride`; at least 1, 0 when it does not.
std::int64_t windows(std::int64_t extent, int kernel, int stride, int padding) {
  const std::int64_t room = extent + 2 * std::int64_t{padding} - kernel;
  return room < 0 ? 0 : room / stride + 1;
}

std::string square(int side) {
  return std::to_string(side) + "x" + std::to_string(side);
}

/// Builds a network layer by layer.
class Resolver {
 public:
  explicit Resolver(const NetworkSpec& spec) : spec_(spec) {}

  Result<Network> run() {
    network_.name = spec_.name;
    network_.input = spec_.input;
    if (auto valid = checkInput(); !valid) return valid.error();
    Shape shape = spec_.input;
    for (const LayerSpec& layer : spec_.layers) {
      current_ = Layer{};
      current_.spec = layer;
      current_.from = {static_cast<int>(network_.layers.size()) - 1};
      current_.input = shape;
      if (auto valid = addLayer(); !valid) return valid.error();
      shape = current_.output;
      network_.layers.push_back(current_);
    }
    if (network_.classes == 0) {
      return Error{ErrorCode::kInvalid, "network " + spec_.name +
                                            ": the last layer must be softmaxCrossEntropy, found " +
                                            lastKind()};
    }
    return std::move(network_);
  }

 private:
  Result<void> checkInput() const {
    const Shape& input = spec_.input;
    const bool positive = std::all_of(input.begin(), input.end(), [](auto e) { return e >= 1; });
    if ((input.size() == 1 || isImage(input)) && positive && boundedCount(input)) return {};
    return Error{ErrorCode::kInvalid,
                 "network " + spec_.name + ": found the input shape '" + toString(input) +
                     "', must be features or channels x rows x columns, all >= 1 and with at most "
                     "2^40 values"};
  }

  Result<void> addLayer() {
    const LayerSpec& layer = current_.spec;
    if (!isLayerName(layer.name)) return fail("must be named by " + std::string(kLayerNameRule));
    if (!names_.insert(layer.name).second) return fail("another layer has this name");
    if (network_.classes != 0) return fail("comes after softmaxCrossEntropy, which must be last");
    auto valid = std::visit([this](auto& kind) { return add(kind); }, current_.spec.kind);
    if (!valid) return valid;
    if (!boundedCount(current_.output)) {
      return fail("its output " + toString(current_.output) + " of the input " +
                  toString(current_.input) + " has more than 2^40 values");
    }
    const auto macs = checkedAdd(network_.forward_macs, current_.macs);
    if (!macs) return fail("the network's multiply-accumulates leave 64 bits");
    network_.forward_macs = *macs;
    return {};
  }

  Result<void> add(Conv2d& conv) {
    if (conv.outputs < 1 || conv.kernel < 1 || conv.stride < 1) {
      return fail("outputs, kernel and stride must be >= 1");
    }
    if (conv.padding < 0 || conv.padding >= conv.kernel) {
      return fail("found padding " + std::to_string(conv.padding) +
                  ", must be >= 0 and below the kernel's size " + std::to_string(conv.kernel));
    }
    if (auto valid = slide(conv.outputs, conv.kernel, conv.stride, conv.padding); !valid) {
      return valid;
    }
    const std::int64_t area = std::int64_t{conv.kernel} * conv.kernel;
    return addTensors({conv.outputs, current_.input[0], conv.kernel, conv.kernel}, area);
  }

  Result<void> add(MaxPool& pool) {
    if (pool.stride == 0) pool.stride = pool.kernel;
    if (pool.kernel < 1 || pool.stride < 1) return fail("kernel and stride must be >= 1");
    const std::int64_t channels = current_.input[0];
    return slide(channels, pool.kernel, pool.stride, /*padding=*/0);
  }

  template <typename Kind>
  Result<void> add(Kind& /*kind*/) {
    return fail("is not available yet");
  }

  Result<void> add(Relu& /*relu*/) {
    current_.output = current_.input;
    return {};
  }

  Result<void> add(Flatten& /*flatten*/) {
    current_.output = {count(current_.input)};
    return {};
  }

  Result<void> add(Dense& dense) {
    if (dense.outputs < 1) return fail("outputs must be >= 1");
    if (isImage(current_.input)) {
      return fail("takes a vector, but its input has the shape " + toString(current_.input) +
                  "; a flatten layer before it makes that a vector of " +
                  std::to_string(count(current_.input)));
    }
    current_.output = {dense.outputs};
    return addTensors({dense.outputs, current_.input[0]}, /*area=*/1);
  }

  Result<void> add(SoftmaxCrossEntropy& /*loss*/) {
    constexpr std::int64_t kMaxClasses = std::numeric_limits<int>::max();
    const Shape& input = current_.input;
    if (isImage(input) || input[0] < 2 || input[0] > kMaxClasses) {
      return fail(
          "takes a vector with a value for each of at least 2 classes, but its input has "
          "the shape " +
          toString(input));
    }
    current_.output = input;
    network_.classes = static_cast<int>(input[0]);
    return {};
  }

  /// The output of a layer whose window moves over the rows and columns of its input.
  Result<void> slide(std::int64_t channels, int kernel, int stride, int padding) {
    const Shape& input = current_.input;
    if (!isImage(input)) {
      return fail("takes an image (channels x rows x columns), but its input has the shape " +
                  toString(input));
    }
    const std::int64_t rows = windows(input[1], kernel, stride, padding);
    const std::int64_t columns = windows(input[2], kernel, stride, padding);
    if (rows == 0 || columns == 0) {
      return fail("its kernel " + square(kernel) + " with padding " + std::to_string(padding) +
                  " does not fit into its input " + toString(input));
    }
    current_.output = {channels, rows, columns};
    return {};
  }

  /// Weight and bias of a layer that has both; `area` is the number of positions of its kernel.
  Result<void> addTensors(const Shape& weight, std::int64_t area) {
    const auto weights = boundedCount(weight);
    const std::int64_t outputs = weight[0];
    if (!weights || network_.parameters + *weights + outputs > kMaxCount) {
      return fail("its weights " + toString(weight) + " for the input " + toString(current_.input) +
                  " make more than 2^40 parameters");
    }
    const auto positions = boundedCount(current_.output);
    const auto macs = positions ? checkedMultiply(*positions, *weights / outputs) : std::nullopt;
    if (!macs) {
      return fail("from the shape " + toString(current_.input) + " to " +
                  toString(current_.output) + ": its multiply-accumulates leave 64 bits");
    }
    current_.macs = *macs;
    const std::int64_t fan_in = *weights / outputs;
    const std::int64_t fan_out = outputs * area;
    addTensor({current_.spec.name + ".weight", weight, 0, fan_in, fan_out, false});
    addTensor({current_.spec.name + ".bias", {outputs}, 0, fan_in, fan_out, true});
    return {};
  }

  void addTensor(Tensor tensor) {
    tensor.offset = network_.parameters;
    network_.parameters += tensor.count();
    current_.tensors.push_back(static_cast<int>(network_.tensors.size()));
    network_.tensors.push_back(std::move(tensor));
  }

  std::string lastKind() const {
    if (spec_.layers.empty()) return "no layers";
    const LayerSpec& last = spec_.layers.back();
    return last.name + " (" + std::string(kindName(last.kind)) + ")";
  }

  Error fail(const std::string& reason) const {
    const LayerSpec& layer = current_.spec;
    std::string place;
    if (layer.position.line > 0) {
      place =
          std::to_string(layer.position.line) + ":" + std::to_string(layer.position.column) + ": ";
    }
    return Error{ErrorCode::kInvalid, place + "layer " + layer.name + " (" +
                                          std::string(kindName(layer.kind)) + "): " + reason};
  }

  const NetworkSpec& spec_;  // outlives us
  Network network_;
  Layer current_;
  std::set<std::string> names_;
};

}  // namespace

Result<Network> resolve(const NetworkSpec& spec, TextExtents /*text*/) {
  return Resolver(spec).run();
}

}  // namespace sumac::model
