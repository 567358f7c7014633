#pragma once

#include "common/base/result.h"
#include "common/job/training_job.h"

namespace sumac::job {

/// The network that a job trains: of the zoo, or its own. The words of a text network are
/// spec.model.vocabulary, else those of the data (`vocabulary_of_data`; 0: not known here), else
/// the zoo's; its time steps training.unroll, else the model's. Fails only for a job that did not
/// come from readJob(), and where nobody knows the words.
Result<model::Network> networkOf(const TrainingJob& job, int vocabulary_of_data = 0);

}  // namespace sumac::job
