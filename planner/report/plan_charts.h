#pragma once

#include <vector>

#include "base/report/drawing.h"
#include "planner/advice/advice.h"

namespace sumac::planner {

/// Time, cost and efficiency of the best configuration with each number of workers; a configuration
/// that cannot be taken is hollow. What no configuration has, as a cost without a price, has no
/// picture.
std::vector<report::Drawing> scaleDrawings(const Advice& advice);

/// Where the time of a step goes, of the recommended configuration, of the job as written and of
/// the best configuration of every other exchange with several workers; empty without a
/// configuration.
std::vector<report::Drawing> stepDrawings(const Advice& advice);

}  // namespace sumac::planner
