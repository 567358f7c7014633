#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sumac {

/// The gradient noise scale of a training, in samples: tr(Sigma) / |G|^2, with the covariance Sigma
/// of one sample's gradient and the true gradient G. "Simple noise scale" of McCandlish, Kaplan,
/// Amodei: "An empirical model of large-batch training", 2018 (arXiv 1812.06162), section 2.2.
/// Mini-batches far below it gain from growing, far above it hardly. A value type.
struct NoiseScale {
  double samples = 0;
  std::optional<double> low = {};   // the 95 % interval; nothing: not known
  std::optional<double> high = {};  // the same
  std::int64_t steps = 0;           // of which it is the mean

  bool operator==(const NoiseScale&) const = default;
};

/// Estimates the noise scale from what each step knows: the squared norms of the parts' gradients
/// and of their sum. With n_v samples in part v, B in all:
///
///   E[sum over v of |s_v|^2] = |G|^2 sum over v of n_v^2 + B tr(Sigma)
///   E[|sum over v of s_v|^2] = |G|^2 B^2                 + B tr(Sigma)
///
/// for sums s_v of samples' gradients: two equations for |G|^2 and tr(Sigma), without bias
/// (appendix A.1 of the paper, there for equal parts). Each is too noisy step by step, so the
/// answer is the ratio of their means. Samples must be drawn independently of each other.
///
/// Gradients fall as training goes on, so the means are of the later half of all steps, at least:
/// the first steps would outweigh all others. Steps are gathered in blocks, whose number stays
/// between kBlocks and 2 kBlocks; the interval is a jackknife over the blocks, of the logarithm, as
/// a ratio is skewed. Steps of a block may depend on each other. Owned by one thread; never
/// allocates.
class NoiseScaleEstimator {
 public:
  /// `samples_of_parts`: n_v. Parts are at least two for an estimate.
  explicit NoiseScaleEstimator(std::span<const std::int64_t> samples_of_parts);

  /// One step: sum over v of |s_v|^2, and |sum over v of s_v|^2, both in the same unit, which may
  /// be another each time only by a factor close to 1. A step that is not finite is left out.
  void add(double squares_of_parts, double square_of_sum);

  /// Nothing before 2 steps, of one part, and where the mean |G|^2 is not above 0: the noise then
  /// hides the gradient. An interval needs kBlocks blocks that agree on its sign.
  std::optional<NoiseScale> estimate() const;

  static constexpr std::size_t kBlocks = 16;  // of an interval: enough for Student's t to be close

 private:
  /// Sums over the steps of a block.
  struct Block {
    double gradient = 0;  // |G|^2
    double noise = 0;     // tr(Sigma)
  };

  double batch_ = 0;
  double squares_ = 0;  // sum over v of n_v^2
  // The last kBlocks to 2 kBlocks blocks of the steps so far, each of `steps_of_block_`, and the
  // one that is being filled.
  std::array<Block, 4 * kBlocks> blocks_{};
  std::size_t count_ = 0;
  std::int64_t steps_of_block_ = 1;
  Block open_;
  std::int64_t steps_of_open_ = 0;
};

}  // namespace sumac
