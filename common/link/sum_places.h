#pragma once

#include "common/base/step.h"
#include "common/plan/range_run.h"

namespace sumac::link {

/// Where a worker reads the sums of a step. Who adds in its process for it alone may write them
/// there: then nobody copies them. Owned by the thread of both.
class SumPlaces {
 public:
  virtual ~SumPlaces() = default;

  /// The memory for the sums of a run, which nobody reads until the worker gets the message of
  /// them. Null unless the worker has begun this step and lacks all of them: then they need memory
  /// of their own.
  virtual float* placeOf(Step step, const RangeRun& run) = 0;
};

}  // namespace sumac::link
