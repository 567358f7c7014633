#pragma once

#include <vector>

#include "common/base/result.h"
#include "planner/advice/advice.h"
#include "planner/advice/prediction.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// What the oracle of Kahira et al. 2021 says of all parallel strategies with as many members as
/// the recommended way has workers: the layers' times as profiled, links as in `prepared`, one
/// mini-batch as the epoch. Only data parallelism is in this version. Fails as rankStrategies().
Result<std::vector<StrategyAdvice>> strategiesFor(const AdviceQuestion& question,
                                                  const PreparedWays& prepared, const Way& way);

}  // namespace sumac::planner
