#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/step.h"
#include "exchange/client/exchange_client.h"
#include "exchange/plan/part_tree.h"
#include "worker/train/training_setup.h"

namespace sumac::worker {

/// The synthetic value number `index` that the parts of `node` contribute to `step`: a small whole
/// number, so that every sum of up to 10,000 parts is exact in fp32 and can be checked to the bit.
/// Neighbouring steps differ, so that an old sum is noticed.
float syntheticValue(TreeNode node, Step step, std::size_t index);

/// Where a sum over all `parts` of `step` differs first: "value 7 of the sum of step 3 is 1, not
/// 4". Empty if it is right.
std::string wrongSum(std::span<const float> sum, int parts, Step step);

/// Exchanges the job's vector with synthetic values in place of gradients, as often as the job has
/// steps, and measures how long each takes: from the submission of finished contributions until all
/// sums are there. The first fifth of the steps warms up and is not measured, nor is the last step,
/// unless it is the only one. Every value of the sums of that fifth, but for its last two steps,
/// and of the last step is checked; a wrong one ends the job.
///
/// What `sumac bench exchange` runs: session, lanes and sums are those of training. Of
/// worker 0 the end's reason is its result as JSON: median, least and most in seconds. Runs on the
/// trainer's thread.
ProcessEnd timeExchange(const TrainingSetup& setup, ExchangeClient& exchange, const Clock& clock);

}  // namespace sumac::worker
