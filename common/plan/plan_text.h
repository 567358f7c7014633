#pragma once

#include <string>

#include "common/job/training_job.h"
#include "common/model/network.h"
#include "common/plan/exchange_plan.h"

namespace sumac {

/// Everything that fixes the bits of a job's result but for data and kernel variant, one
/// "key=value" a line, in a fixed order; the numerics number comes first. Independent of how long
/// the job trains and of how many workers and servers it has: it can resume from any checkpoint
/// made under these lines.
std::string bitsText(const job::TrainingJob& job, const model::Network& network);

/// bitsText(), the length of the training and how the exchange vector is cut: members compare it
/// when they join, so that a difference is refused by name. What only a worker knows (data, build)
/// comes as further lines after these.
std::string planText(const job::TrainingJob& job, const model::Network& network,
                     const ExchangePlan& plan);

}  // namespace sumac
