#include "engine/image/block_group.h"

namespace sumac::worker::image {
namespace {

// In floats: what stays of a group in a core's second-level cache beside the sums and weights, and
// in its share of the third level. Of common servers, not of this one: groups that depended on the
// machine would make measurements of two machines hard to compare.
constexpr double kSecondLevel = 128.0 * 1024;
constexpr double kThirdLevel = 2048.0 * 1024;
// How much more a gradient costs that has left the second level than a value of the sums. It is
// written, read for the weights and read again for the inputs, which wait for it; sums pass in one
// stream. Measured: see docs/performance.md.
constexpr double kGradientCost = 10;

/// The share of what is used over and over that a cache does not keep.
double missedShare(double values, double cache) {
  return values <= cache ? 0.0 : 1.0 - cache / values;
}

double costOf(const BackwardSizes& sizes, std::size_t blocks, std::size_t max_blocks) {
  const auto all = static_cast<double>(max_blocks);
  const auto together = static_cast<double>(blocks);
  const auto gradients = static_cast<double>(sizes.gradients);
  const auto inputs = static_cast<double>(sizes.inputs);
  const std::size_t groups = (max_blocks + blocks - 1) / blocks;
  // Every group reads and writes the sums; a single one has none between groups.
  const double sums =
      groups == 1 ? 0.0 : 2.0 * static_cast<double>(groups) * static_cast<double>(sizes.sums);
  const double late_gradients =
      all * gradients * missedShare(together * gradients, kSecondLevel) * kGradientCost;
  const double late_inputs = all * inputs * static_cast<double>(sizes.input_reads) *
                             missedShare(together * (gradients + inputs), kThirdLevel);
  return sums + late_gradients + late_inputs;
}

}  // namespace

std::size_t blocksPerGroup(const BackwardSizes& sizes, std::size_t max_blocks) {
  if (sizes.sums > max_blocks * (sizes.gradients + sizes.inputs)) return max_blocks;
  std::size_t best = max_blocks;
  for (std::size_t blocks = max_blocks - 1; blocks >= 1; --blocks) {
    if (costOf(sizes, blocks, max_blocks) < costOf(sizes, best, max_blocks)) best = blocks;
  }
  return best;
}

}  // namespace sumac::worker::image
