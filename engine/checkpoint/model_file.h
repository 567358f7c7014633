#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/result.h"
#include "job/model/network.h"

namespace sumac::checkpoint {

/// What a job leaves: what its network has learned.
struct LearnedModel {
  std::vector<float> weights;     // plan order
  std::vector<float> statistics;  // of batchNorm layers, to compute with after training
  std::map<std::string, std::string> metadata;
};

/// model.safetensors of a job: all parameters under the names that PyTorch gives them
/// (fileTensors()) and the statistics, as "<layer>.running_mean" and "<layer>.running_var".
/// Requires spans of the network's sizes.
Bytes encodeModel(const model::Network& network, std::span<const float> weights,
                  std::span<const float> statistics,
                  const std::map<std::string, std::string>& metadata);

/// The reverse. Fails with kInvalid unless the file has exactly this network's tensors.
Result<LearnedModel> decodeModel(const model::Network& network, BytesView file);

}  // namespace sumac::checkpoint
