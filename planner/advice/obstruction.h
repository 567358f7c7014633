#pragma once

#include "planner/advice/advice.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// Adds which limit no way keeps, Advice::no_plan, and what would be enough. Where changing one
/// limit is enough, each such change; else all that the way needs which ranks best. Requires ways
/// that all have an obstacle, at least one.
void addObstruction(const AdviceQuestion& question, Advice& advice);

}  // namespace sumac::planner
