#pragma once

#include <vector>

#include "common/page/drawing.h"
#include "planner/advice/advice.h"

namespace sumac::planner {

/// Time, cost, efficiency and memory of the best way with each number of workers; a way that cannot
/// be taken is hollow. What no way has, as a cost without a price, has no picture.
std::vector<page::Drawing> scaleDrawings(const Advice& advice);

/// Where the time of a step goes, of the recommended way, of the job as written and of the best way
/// of every other exchange; empty without a way.
std::vector<page::Drawing> stepDrawings(const Advice& advice);

/// Where the time of an epoch goes, of each parallel strategy; empty without an estimate.
std::vector<page::Drawing> strategyDrawings(const Advice& advice);

}  // namespace sumac::planner
