#include "tests/papers/das/blocking.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sumac::planner::papers {
namespace {

constexpr double kBytesOfValue = 4;  // fp32

Error blockingError(const Layer& layer, const std::string& reason) {
  return Error{ErrorCode::kInvalid, "blocking of layer " + layer.name + ": " + reason};
}

std::int64_t inputsOf(const Layer& layer) {
  return layer.input_channels / layer.groups;
}

std::int64_t outputsOf(const Layer& layer) {
  return layer.output_channels / layer.groups;
}

Result<void> checkConvolution(const Layer& layer) {
  constexpr std::size_t kImage = 2;
  if (layer.kind != LayerKind::kConvolution || layer.kernel.size() != kImage ||
      layer.output_extents.size() != kImage) {
    return blockingError(layer, "it is not a convolution of images");
  }
  if (auto checked = checkLayers({layer.name, "", {layer}}); !checked) return checked;
  if (layer.input_channels % layer.groups != 0 || layer.output_channels % layer.groups != 0) {
    return blockingError(layer, "its groups must divide its feature maps");
  }
  return {};
}

Result<void> checkBlock(const Layer& layer, const ConvolutionBlock& block) {
  if (auto checked = checkConvolution(layer); !checked) return checked;
  const auto lies_in = [](std::int64_t value, std::int64_t most) {
    return value >= 1 && value <= most;
  };
  if (lies_in(block.outputs, outputsOf(layer)) && lies_in(block.inputs, inputsOf(layer)) &&
      lies_in(block.output_rows, layer.output_extents[0]) &&
      lies_in(block.output_columns, layer.output_extents[1])) {
    return {};
  }
  return blockingError(layer, "the block's sizes must be at least 1 and at most the layer's");
}

/// Values of each tensor in a block. Doubles: products of four extents need not fit 64 bits.
struct Values {
  double inputs = 0;
  double outputs = 0;
  double weights = 0;

  double all() const { return inputs + outputs + weights; }
};

Values valuesOf(const Layer& layer, const ConvolutionBlock& block) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const double stride = number(layer.stride);
  const double rows = (number(block.output_rows) - 1) * stride + number(layer.kernel[0]);
  const double columns = (number(block.output_columns) - 1) * stride + number(layer.kernel[1]);
  const double places = number(block.output_rows) * number(block.output_columns);
  return {number(block.inputs) * rows * columns, number(block.outputs) * places,
          number(block.inputs) * number(block.outputs) * number(positions(layer.kernel))};
}

double ratioOf(const Layer& layer, const ConvolutionBlock& block, BlockWalk walk) {
  Values moved = valuesOf(layer, block);
  const double places =
      static_cast<double>(block.output_rows) * static_cast<double>(block.output_columns);
  const double flops = 2 * moved.weights * places;
  if (walk == BlockWalk::kInputs) {
    // Once for all input feature maps: this block's share.
    moved.outputs *= static_cast<double>(block.inputs) / static_cast<double>(inputsOf(layer));
  }
  return kBytesOfValue * moved.all() / flops;
}

std::vector<std::int64_t> divisorsOf(std::int64_t number) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t each = 1; each <= number / each; ++each) {
    if (number % each != 0) continue;
    divisors.push_back(each);
    if (each != number / each) divisors.push_back(number / each);
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

/// Tries blocks and keeps the best that fits.
class BlockSearch {
 public:
  BlockSearch(const Layer& layer, std::int64_t cache_bytes)
      : layer_(layer), cache_values_(static_cast<double>(cache_bytes) / kBytesOfValue) {}

  std::optional<BestBlock> run() {
    const std::vector<std::int64_t> inputs = divisorsOf(inputsOf(layer_));
    const std::vector<std::int64_t> rows = divisorsOf(layer_.output_extents[0]);
    const std::vector<std::int64_t> columns = divisorsOf(layer_.output_extents[1]);
    for (const std::int64_t outputs : divisorsOf(outputsOf(layer_))) {
      for (const std::int64_t input : inputs) {
        for (const std::int64_t row : rows)
          tryColumns({outputs, input, row, 1}, columns);
      }
    }
    return best_;
  }

 private:
  /// Columns in ascending order: after one that does not fit none does.
  void tryColumns(ConvolutionBlock block, const std::vector<std::int64_t>& columns) {
    for (const std::int64_t column : columns) {
      block.output_columns = column;
      const double values = valuesOf(layer_, block).all();
      if (values > cache_values_) return;
      const double ratio = ratioOf(layer_, block, BlockWalk::kInputs);
      if (best_ && ratio >= best_->bytes_per_flop) continue;
      best_ = BestBlock{block, static_cast<std::int64_t>(kBytesOfValue * values), ratio};
    }
  }

  const Layer& layer_;  // outlives us
  const double cache_values_;
  std::optional<BestBlock> best_;
};

}  // namespace

Result<std::int64_t> blockBytes(const Layer& layer, const ConvolutionBlock& block) {
  if (auto checked = checkBlock(layer, block); !checked) return checked.error();
  constexpr double kMostBytes = 4611686018427387904.0;  // 2^62
  const double bytes = kBytesOfValue * valuesOf(layer, block).all();
  if (bytes > kMostBytes) return blockingError(layer, "the block takes more than 2^62 bytes");
  return static_cast<std::int64_t>(bytes);
}

Result<double> bytesPerFlop(const Layer& layer, const ConvolutionBlock& block, BlockWalk walk) {
  if (auto checked = checkBlock(layer, block); !checked) return checked.error();
  return ratioOf(layer, block, walk);
}

Result<BestBlock> bestBlock(const Layer& layer, std::int64_t cache_bytes) {
  if (auto checked = checkConvolution(layer); !checked) return checked.error();
  const std::optional<BestBlock> best = BlockSearch(layer, cache_bytes).run();
  if (best) return *best;
  return blockingError(layer, "not even one output of one feature map fits into a cache of " +
                                  std::to_string(cache_bytes) + " bytes");
}

Result<double> registerTraffic(std::int64_t registers, std::int64_t kernel_positions,
                               std::int64_t simd_width) {
  if (registers < 1 || kernel_positions < 1 || simd_width < 1) {
    return Error{ErrorCode::kInvalid, "register blocking: found " + std::to_string(registers) +
                                          " registers, " + std::to_string(kernel_positions) +
                                          " kernel positions and " + std::to_string(simd_width) +
                                          " values a vector, must be at least 1 each"};
  }
  const double accesses = static_cast<double>(kernel_positions) * static_cast<double>(simd_width);
  const auto held = static_cast<double>(registers);
  return (2 * held + accesses) / (held * accesses);
}

}  // namespace sumac::planner::papers
