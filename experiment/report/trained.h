#pragma once

#include <string>

#include "job/document/training_job.h"

namespace sumac::experiment {

/// What a job trains, for people: "lenet5"; "3 layers of its own, 7850 parameters", as far as they
/// are known.
std::string networkText(const job::TrainingJob& job);

/// On what: "fashion-mini", "/data/mnist", "generated text of 1000 words".
std::string dataText(const job::TrainingJob& job);

/// How: "sgd, learning rate 0.05, momentum 0.9".
std::string optimizerText(const job::TrainingJob& job);

}  // namespace sumac::experiment
