#pragma once

#include "common/base/result.h"
#include "planner/advice/advice.h"
#include "planner/advice/prediction.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// Adds what the oracle of Kahira et al. 2021 says of all parallel strategies with as many members
/// as `way` has workers, one mini-batch as the epoch. The layers' times are as profiled, all times
/// one factor, so that serial training is the predicted step of one worker; links are those of
/// `prepared`, times one factor, so that data parallelism is the best predicted all-reduce with
/// nothing hidden. Advice::strategies_basis says so. Only data parallelism is in this version.
/// Adds nothing for one worker, which divides nothing. Fails as rankStrategies().
Result<void> addStrategies(const AdviceQuestion& question, const PreparedWays& prepared,
                           const Way& way, Advice& advice);

}  // namespace sumac::planner
