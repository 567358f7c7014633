#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/step.h"

namespace sumac::trace {

/// The steps of a job to trace, both ends included. A value type.
struct StepRange {
  Step from = 1;
  Step to = 1;

  bool contains(Step step) const { return from <= step && step <= to; }
  bool operator==(const StepRange&) const = default;
};

/// Reads "10:20". Fails with kInvalid where it is not two whole numbers from 1 on, or the first is
/// above the second.
Result<StepRange> stepRangeFrom(std::string_view text);

/// "10:20".
std::string toString(const StepRange& steps);

/// For CLI11's check(): empty, or what is wrong with the range.
std::string checkStepRange(const std::string& text);

}  // namespace sumac::trace
