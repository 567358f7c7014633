#pragma once

#include <cstdint>

#include "base/core/result.h"

namespace sumac::planner {

// The lemma on the number of GPUs of Zou et al. 2017 (arXiv 1709.06622), here of workers, and its
// inverse questions. The paper's formula is from memory; it and the inverses were derived and
// checked.
//
// The time of a step on one worker is T_C + T_O: computation, which G workers divide, and overhead,
// which they do not. R_O = T_O / T_C can be measured on one worker.
//
//   speedup(G)    = (T_C + T_O) / (T_C / G + T_O) = G (1 + R_O) / (1 + G R_O)
//   efficiency(G) = speedup(G) / G                = (1 + R_O) / (1 + G R_O)
//
// All functions are pure and fail with kInvalid on numbers that cannot be.

/// R_O. Requires in both the same step; seconds.
Result<double> overheadRatio(double compute_seconds, double overhead_seconds);

/// How many times faster `workers` are than one.
Result<double> speedupOf(double overhead_ratio, std::int64_t workers);

/// speedupOf() / workers.
Result<double> efficiencyOf(double overhead_ratio, std::int64_t workers);

/// (1 + R_O) / R_O, which no number of workers reaches; infinite without overhead.
Result<double> speedupLimit(double overhead_ratio);

/// The smallest G with this speedup: G >= s / (1 + R_O - s R_O). Fails with kInvalid, and says the
/// limit and the overhead that would do, if no number of workers has it.
Result<std::int64_t> smallestWorkers(double overhead_ratio, double speedup);

/// The largest R_O with which G workers have this efficiency: (1 - a) / (a G - 1); infinite if they
/// have it with any overhead (a G <= 1). Requires 0 < efficiency <= 1.
Result<double> largestOverheadRatio(double efficiency, std::int64_t workers);

/// The largest R_O with which G workers have this speedup: (G - s) / (G (s - 1)); infinite for a
/// speedup of at most 1. Fails with kInvalid if the speedup is above G.
Result<double> overheadRatioForSpeedup(double speedup, std::int64_t workers);

}  // namespace sumac::planner
