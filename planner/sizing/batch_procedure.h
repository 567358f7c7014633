#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/core/result.h"
#include "planner/convolution_choice/choice.h"
#include "planner/sizing/memory_model.h"

namespace sumac::planner {

// The procedure for the mini-batch size of Zou et al. 2017 (arXiv 1709.06622); its structure is
// from memory:
//
//   1. the largest mini-batch X_max that fits (largestBatch());
//   2. for each candidate X up to it, the fastest convolution algorithms under the bound that X
//      leaves, which give the time of a step t(X) (solveBatches());
//   3. the steps n(X) to a fixed loss or error, measured;
//   4. the X with the smallest n(X) t(X) (rankBatches()).
//
// A larger mini-batch uses a device better until it is full; beyond a certain size it needs more
// samples to the same loss.

/// Powers of two up to `largest`. Requires largest >= 1.
std::vector<std::int64_t> candidateBatches(std::int64_t largest);

/// What each convolution costs by each algorithm at a mini-batch size.
using ConvolutionCosts =
    std::function<Result<std::vector<ConvolutionAlgorithms>>(std::int64_t batch)>;

/// The convolutions of one candidate. Not advice for this version (kChoiceIsNotAdvice).
struct BatchChoice {
  std::int64_t batch = 0;
  std::int64_t workspace_bound_bytes = 0;
  Choice choice;
};

/// The choice for each candidate for which even the smallest workspaces fit, small ones first.
/// Fails with kInvalid if there is none, or if the costs are not right; passes on what `costs`
/// fails with.
Result<std::vector<BatchChoice>> solveBatches(const MemoryUse& use, std::int64_t device_bytes,
                                              const ConvolutionCosts& costs);

/// What is known of one mini-batch size.
struct BatchCandidate {
  std::int64_t batch = 0;
  double seconds_per_step = 0;  // t(X)
  double steps_to_target = 0;   // n(X)

  double secondsToTarget() const { return seconds_per_step * steps_to_target; }
};

/// The candidates, the fastest to the target first; of equal ones the smallest mini-batch. Fails
/// with kInvalid if there is none or a number is not positive.
Result<std::vector<BatchCandidate>> rankBatches(std::span<const BatchCandidate> candidates);

}  // namespace sumac::planner
