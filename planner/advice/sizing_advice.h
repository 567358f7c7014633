#pragma once

#include "planner/advice/advice.h"
#include "planner/advice/prediction.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// What the rules of Zou et al. 2017 say of a way: the largest mini-batch that one worker's memory
/// takes, how many servers hide the exchange, and how far more workers help. Where a rule cannot be
/// applied its text says why.
SizingAdvice sizingFor(const AdviceQuestion& question, const PreparedWays& prepared,
                       const Way& way);

}  // namespace sumac::planner
