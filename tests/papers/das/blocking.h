#pragma once

#include <cstdint>

#include "base/core/result.h"
#include "planner/network/layer_list.h"

namespace sumac::planner::papers {

/// A block of a convolution's loops, for one point of the mini-batch.
struct ConvolutionBlock {
  std::int64_t outputs = 1;  // output feature maps
  std::int64_t inputs = 1;   // input feature maps
  std::int64_t output_rows = 1;
  std::int64_t output_columns = 1;
};

/// Along which loop consecutive blocks go: the tensor without that index stays in the cache.
enum class BlockWalk : std::uint8_t {
  kNone,    // all three tensors move for each block
  kInputs,  // along input feature maps: outputs move once for all of them
};

/// A block and what it costs.
struct BestBlock {
  ConvolutionBlock block;
  std::int64_t cache_bytes = 0;
  double bytes_per_flop = 0;
};

// The blocking model of one node, Das et al. 2016 (arXiv 1602.06709), from memory with checks:
//
//   bytes(block) = 4 (b_ifm bi_h bi_w + b_ofm b_oh b_ow + b_ifm b_ofm kw kh) <= cache
//   flop(block)  = 2 b_ofm b_ifm b_oh b_ow kw kh,  bi = (b_o - 1) stride + k
//   B/F          = bytes that move for a block / flop(block)
//
// All functions are pure and fail with kInvalid if the layer is not a convolution of images, or the
// block is not within it. With groups, feature maps are those of one group.

/// bytes(block): what the cache must hold.
Result<std::int64_t> blockBytes(const Layer& layer, const ConvolutionBlock& block);

/// B/F of a block.
Result<double> bytesPerFlop(const Layer& layer, const ConvolutionBlock& block, BlockWalk walk);

/// The block with the smallest B/F within the cache, walking along input feature maps. Tries all
/// blocks whose sizes divide the layer's. Fails with kInvalid if not even the smallest block fits.
Result<BestBlock> bestBlock(const Layer& layer, std::int64_t cache_bytes);

/// Loads and stores of vectors for each vector multiply-add when `registers` output vectors stay in
/// registers, for one block of `simd_width` input feature maps: (2 RB + kw kh SW) / (RB kw kh SW).
Result<double> registerTraffic(std::int64_t registers, std::int64_t kernel_positions,
                               std::int64_t simd_width);

}  // namespace sumac::planner::papers
