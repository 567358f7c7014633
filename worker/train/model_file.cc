#include "worker/train/model_file.h"

#include <utility>
#include <vector>

#include "common/base/file.h"
#include "common/checkpoint/file_tensors.h"
#include "common/checkpoint/safetensors.h"
#include "common/progress/output_folder.h"

namespace sumac::worker {
namespace {

/// The tensors of the network's file, then its statistics.
model::Network tensorsOf(const model::Network& network) {
  model::Network file = checkpoint::fileTensors(network);
  for (const model::Layer& layer : network.layers) {
    for (const char* name : {".running_mean", ".running_var"}) {
      if (layer.statistics.count == 0) break;
      model::Tensor tensor;
      tensor.name = layer.spec.name + name;
      tensor.shape = {layer.statistics.count / 2};
      tensor.offset = file.parameters;
      file.parameters += tensor.count();
      file.tensors.push_back(std::move(tensor));
    }
  }
  return file;
}

}  // namespace

Result<void> writeModelFile(const TrainingSetup& setup, std::span<const float> weights,
                            std::span<const float> statistics, const std::string& numerics,
                            WorkCount* work) {
  if (setup.output_folder.empty()) return {};
  std::vector<float> values = checkpoint::toFile(setup.network, weights);
  values.insert(values.end(), statistics.begin(), statistics.end());
  const auto file = checkpoint::encodeSafetensors(
      tensorsOf(setup.network), values, {{"model", setup.network.name}, {"numerics", numerics}});
  return replaceFile(OutputFolder(setup.output_folder).model(), file, work);
}

}  // namespace sumac::worker
