#pragma once

#include <span>
#include <string>

#include "common/base/result.h"
#include "common/base/work_count.h"
#include "worker/train/training_setup.h"

namespace sumac::worker {

/// Writes model.safetensors to the output folder, if there is one: all parameters under the names
/// that PyTorch gives them (checkpoint::fileTensors) and, of batchNorm layers, the statistics to
/// compute with after training (`statistics`, of the network), as "<layer>.running_mean" and
/// "<layer>.running_var". `work`, where it is given, counts the pieces that are on the disk.
Result<void> writeModelFile(const TrainingSetup& setup, std::span<const float> weights,
                            std::span<const float> statistics, const std::string& numerics,
                            WorkCount* work = nullptr);

}  // namespace sumac::worker
