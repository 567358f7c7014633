#pragma once

#include <string>

#include "exchange/plan/exchange_plan.h"
#include "job/document/training_job.h"
#include "job/model/network.h"

namespace sumac {

/// Everything in a job that determines the bits of its result, except data and kernel variant: one
/// "key=value" per line, in a fixed order; the numerics number comes first. Independent of the
/// length of the training, of the number of workers and servers and of where the data's files are:
/// a job with the same lines and data can resume from the checkpoint. Of a job with a program, the
/// program's library adds what it computes; `network` is not used then.
std::string bitsText(const job::TrainingJob& job, const model::Network& network);

/// bitsText(), the length of the training and the ranges of the exchange vector. Members compare it
/// when they join, so that a rejection names the difference. Workers append lines about what only
/// they know (data, build).
std::string planText(const job::TrainingJob& job, const model::Network& network,
                     const ExchangePlan& plan);

}  // namespace sumac
