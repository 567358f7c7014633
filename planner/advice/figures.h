#pragma once

#include "planner/advice/advice.h"
#include "planner/advice/prediction.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// Adds every figure that the answer rests on, with its unit and where it is from.
void addFigures(const AdviceQuestion& question, const PreparedWays& prepared, Advice& advice);

}  // namespace sumac::planner
