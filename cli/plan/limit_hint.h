#pragma once

#include <string>

#include "cli/plan/plan.h"
#include "planner/advice/advice.h"

namespace sumac::cli {

/// " --deadline 11.7min is enough." for an answer without a recommended way: the option with which
/// there is one, rounded up so that it can be typed. Empty where no deadline or budget helps.
std::string limitThatFits(const PlanOptions& options, const planner::Advice& advice);

}  // namespace sumac::cli
