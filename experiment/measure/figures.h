#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace sumac::experiment {

/// What a run measured, warm-up left out. A value type.
struct RunFigures {
  std::int64_t steps = 0;
  double seconds = 0;  // of these steps, whole: nothing in between is left out
  /// Of each step; where metrics.jsonl has a line for several steps, their mean. At most 400.
  std::vector<double> step_seconds;

  double batchesPerSecond() const { return static_cast<double>(steps) / seconds; }
  double medianStepSeconds() const;
};

/// Reads a job's metrics.jsonl. The clock starts when `warmup_steps` are over. Fails with kInvalid
/// when no time can be told from it.
Result<RunFigures> figuresOf(std::string_view metrics, std::int64_t warmup_steps);

/// One run as a file of the experiment's folder, and back. Fails with kInvalid on anything else.
std::string toFile(const RunFigures& figures);
Result<RunFigures> figuresFromFile(std::string_view text);

}  // namespace sumac::experiment
