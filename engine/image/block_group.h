#pragma once

#include <cstddef>

// A convolution's backward pass takes the blocks of a part in groups: the gradients of one group
// are kept at the same time, the sums of the weight gradients from one group to the next. The order
// of additions, hence the bits, does not depend on the groups.
namespace sumac::worker::image {

/// In floats. Larger sums are not kept where one group could do without.
inline constexpr std::size_t kMaxKeptSums = 1024 * 1024;

/// What a convolution's backward pass moves, in floats.
struct BackwardSizes {
  std::size_t gradients;    // of one block
  std::size_t inputs;       // of one block
  std::size_t input_reads;  // how often the weight gradients read them
  std::size_t sums;         // of all weight gradients
};

/// The blocks of a group, of at most `max_blocks` in a part: what moves the fewest bytes between a
/// core's second-level cache and those beyond. With `max_blocks` there is one group, and no sums
/// need be kept; so it is where sums would take more memory than inputs and gradients of all
/// blocks.
std::size_t blocksPerGroup(const BackwardSizes& sizes, std::size_t max_blocks);

}  // namespace sumac::worker::image
