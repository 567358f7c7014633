#pragma once

#include <algorithm>
#include <cstddef>

// A convolution's backward pass takes the blocks of a part in groups: the gradients of one group
// are kept at the same time, the sums of the weight gradients from one group to the next. The order
// of additions, hence the bits, does not depend on the groups.
namespace sumac::worker::lanes {

/// In floats. The gradients of a group stay in a core's second-level cache: they are computed, used
/// and overwritten.
inline constexpr std::size_t kMaxGroupGradients = 128 * 1024;
/// In floats. Reading and writing larger sums once for each group would cost more than gradients
/// that leave the cache.
inline constexpr std::size_t kMaxKeptSums = 1024 * 1024;

/// The blocks of a group, of at most `max_blocks` in a part, where one block has `block_gradient`
/// floats of gradients and the weights have `sums` floats of sums. With `max_blocks` there is one
/// group, and no sums need be kept.
inline std::size_t blocksPerGroup(std::size_t block_gradient, std::size_t sums,
                                  std::size_t max_blocks) {
  if (sums > kMaxKeptSums) return max_blocks;
  return std::clamp<std::size_t>(kMaxGroupGradients / block_gradient, 1, max_blocks);
}

}  // namespace sumac::worker::lanes
