#pragma once

#include "base/core/result.h"
#include "job/document/training_job.h"

namespace sumac::job {

/// The description of the network that a job trains: of the zoo, with the classes that the job
/// names, or its own. Fails for a job with a program, whose network Sumac does not know, and for
/// one that did not come from readJob().
Result<model::NetworkSpec> networkSpecOf(const TrainingJob& job);

/// The network that a job trains: of the zoo, or its own. A text network's vocabulary is
/// spec.model.vocabulary, else that of the data (`vocabulary_of_data`; 0: not known), else the
/// zoo's; its time steps are training.unroll, else the model's. Fails as networkSpecOf(), and if
/// the vocabulary is not known.
Result<model::Network> networkOf(const TrainingJob& job, int vocabulary_of_data = 0);

}  // namespace sumac::job
