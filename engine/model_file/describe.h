#pragma once

#include "base/core/result.h"
#include "engine/data/dataset.h"
#include "engine/model_file/model_file.h"
#include "job/document/training_job.h"
#include "job/model/network.h"

namespace sumac::worker {

/// How a job evaluates its network: on a validation or test split in these batches.
EvaluationBatches::Options evaluationOptions(const job::TrainingSpec& training,
                                             const model::Network& network);

/// What a network of these data is for.
ModelTask taskOf(const Dataset& dataset);

/// The model that a job trains on these data; steps and numerics are for the caller to set.
/// Requires the job's network.
ModelDescription describeModel(const job::TrainingJob& job, const model::Network& network,
                               const Dataset& dataset);

}  // namespace sumac::worker
