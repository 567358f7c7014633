#pragma once

#include <span>
#include <string>

#include "common/base/result.h"
#include "worker/train/training_setup.h"

namespace sumac::worker {

/// Writes model.safetensors to the output folder, if there is one: all parameters under the names
/// that PyTorch gives them (checkpoint::fileTensors) and, of batchNorm layers, the statistics to
/// compute with after training (`statistics`, of the network), as "<layer>.running_mean" and
/// "<layer>.running_var".
Result<void> writeModelFile(const TrainingSetup& setup, std::span<const float> weights,
                            std::span<const float> statistics, const std::string& numerics);

}  // namespace sumac::worker
