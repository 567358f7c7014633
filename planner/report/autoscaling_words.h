#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/step.h"
#include "planner/autoscaling/decide.h"

namespace sumac::planner {

/// A decision about a job's number of workers, and what it was made for.
struct SizeDecision {
  autoscaling::Policy policy = {};
  int from = 1;  // workers before
  autoscaling::Decision decision = {};
};

/// As spec.autoscaling.policy has it: "throughput".
std::string_view goalText(autoscaling::Goal goal);

/// As a status and result.json have it: "SavesTime".
std::string_view reasonName(autoscaling::Reason reason);

/// The reason of such a name; nothing for any other.
std::optional<autoscaling::Reason> reasonNamed(std::string_view name);

/// Why the job has, or gets, so many workers, without a period: "saves 40 s until the end". Adds by
/// how much a deadline or a budget that no number of workers keeps will be missed.
std::string reasonText(const SizeDecision& made);

/// "workers 2 -> 4 at step 310: saves 40 s until the end (throughput)".
std::string sizeChangeText(const SizeDecision& made, Step step);

/// "workers stay 4 at step 310: 4 workers are the right number (throughput)".
std::string sizeStayText(const SizeDecision& made, Step step);

}  // namespace sumac::planner
