#include "engine/checkpoint/model_file.h"

#include <utility>

#include "base/core/check.h"
#include "engine/checkpoint/file_tensors.h"
#include "engine/checkpoint/safetensors.h"

namespace sumac::checkpoint {
namespace {

/// The tensors of the network's file, then its statistics.
model::Network modelTensors(const model::Network& network) {
  model::Network file = fileTensors(network);
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

Bytes encodeModel(const model::Network& network, std::span<const float> weights,
                  std::span<const float> statistics,
                  const std::map<std::string, std::string>& metadata) {
  SUMAC_CHECK(std::ssize(statistics) == network.statistics, statistics.size());
  std::vector<float> values = toFile(network, weights);
  values.insert(values.end(), statistics.begin(), statistics.end());
  return encodeSafetensors(modelTensors(network), values, metadata);
}

Result<LearnedModel> decodeModel(const model::Network& network, BytesView file) {
  auto decoded = decodeSafetensors(modelTensors(network), file);
  if (!decoded) return decoded.error();
  const auto statistics = static_cast<std::size_t>(network.statistics);
  const std::span<const float> values = decoded->values;
  LearnedModel model;
  model.weights = fromFile(network, values.first(values.size() - statistics));
  const auto last = values.last(statistics);
  model.statistics.assign(last.begin(), last.end());
  model.metadata = std::move(decoded->metadata);
  return model;
}

}  // namespace sumac::checkpoint
