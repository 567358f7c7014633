#pragma once

#include "common/base/result.h"
#include "planner/advice/advice.h"
#include "planner/advice/answer.h"
#include "planner/advice/prediction.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// What would change the answer: links and computing half and twice as fast, machines at half and
/// twice their price where that is known, the noise scale at the ends of its interval, the rate of
/// links at which the answer changes, as far as a factor of 64, and their latency at which it does,
/// to 10 ms. Adds to Advice::changes and Advice::unchanged. Requires an answer with a recommended
/// way. Fails as answerUnder().
Result<void> addSensitivity(const AdviceQuestion& question, const PreparedWays& prepared,
                            const Answer& answer, Advice& advice);

}  // namespace sumac::planner
