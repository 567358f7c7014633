#include "worker/train/model_file.h"

#include <utility>
#include <vector>

#include "common/base/file.h"
#include "common/checkpoint/safetensors.h"

namespace sumac::worker {
namespace {

/// The network with the statistics as further tensors behind its parameters.
model::Network withStatistics(model::Network network) {
  for (const model::Layer& layer : network.layers) {
    for (const char* name : {".running_mean", ".running_var"}) {
      if (layer.statistics.count == 0) break;
      model::Tensor tensor;
      tensor.name = layer.spec.name + name;
      tensor.shape = {layer.statistics.count / 2};
      tensor.offset = network.parameters;
      network.parameters += tensor.count();
      network.tensors.push_back(std::move(tensor));
    }
  }
  return network;
}

}  // namespace

Result<void> writeModelFile(const TrainingSetup& setup, std::span<const float> weights,
                            std::span<const float> statistics, const std::string& numerics) {
  if (setup.output_folder.empty()) return {};
  const model::Network network = withStatistics(setup.network);
  std::vector<float> values(weights.begin(), weights.end());
  values.insert(values.end(), statistics.begin(), statistics.end());
  const auto file = checkpoint::encodeSafetensors(
      network, values, {{"model", network.name}, {"numerics", numerics}});
  return replaceFile(setup.output_folder / "model.safetensors", file);
}

}  // namespace sumac::worker
