#pragma once

#include "base/core/result.h"

namespace sumac::planner {

/// How batch size trades against steps. Formulas of AdaptDL (Qiao et al., "Pollux", OSDI 2021) and
/// of McCandlish et al. 2018 (arXiv 1812.06162), which are the same: with the noise scale N in
/// samples, a step of B samples makes B / (N + B) of the progress that one without noise makes. N
/// changes while a network trains, so they hold where it
/// was estimated, not far beyond; and with a learning rate that suits each batch. Pure.
struct BatchTrade {
  double noise_scale_samples = 0;  // N
  double reference_samples = 0;    // B0: the batch that others are compared with

  /// Steps of B0 that one step of `batch_samples` is worth: (B / B0) (N + B0) / (N + B).
  double gain(double batch_samples) const;
  /// Gain for each sample: (N + B0) / (N + B). 1 at B0, less above it.
  double efficiency(double batch_samples) const;
};

/// Fails with kInvalid, naming the figure, unless the noise scale is finite and not negative and
/// the reference finite and at least 1.
Result<BatchTrade> makeBatchTrade(double noise_scale_samples, double reference_samples);

}  // namespace sumac::planner
