#pragma once

#include "planner/advice/advice.h"
#include "planner/advice/prediction.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// What the rules of Zou et al. 2017 say of a way: the largest mini-batch that one worker's memory
/// takes, how many servers hide the exchange, and how far more workers help. Where a rule cannot be
/// applied its text says why; there are no servers to advise where nothing is exchanged.
///
/// T_C are the passes, which workers divide, and T_O is all else of a step: the update, too, which
/// each does whole. The paper measures R_O = T_O / T_C on one worker. Of several it follows from
/// the predicted speedup, since one worker alone knows nothing of their exchange.
SizingAdvice sizingFor(const AdviceQuestion& question, const PreparedWays& prepared,
                       const Way& way);

}  // namespace sumac::planner
