#pragma once

#include "planner/advice/advice.h"
#include "planner/advice/prepared_ways.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// Operations a second of the fastest forward pass that was profiled, of the network's multiply-
/// accumulates alone; 0 where that is not known.
double profiledOperations(const AdviceQuestion& question);

/// Adds every figure that the answer rests on, with its unit and where it is from.
void addFigures(const AdviceQuestion& question, const PreparedWays& prepared, Advice& advice);

}  // namespace sumac::planner
