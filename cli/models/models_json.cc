#include "cli/models/models_json.h"

#include <nlohmann/json.hpp>

namespace sumac::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kIndent = 2;

Json headOf(const model::Network& network) {
  Json json = {{"name", network.name}, {"input", network.input}, {"classes", network.classes}};
  if (network.isText()) json["vocabulary"] = network.vocabulary();
  json["parameters"] = network.parameters;
  json["forwardMacs"] = network.forward_macs;
  json["recurrentState"] = network.recurrent;
  json["runningStatistics"] = network.statistics;
  return json;
}

Json tensorsOf(const model::Layer& layer, const model::Network& network) {
  Json tensors = Json::array();
  for (const int index : layer.tensors) {
    const model::Tensor& tensor = network.tensors.at(static_cast<std::size_t>(index));
    tensors.push_back({{"name", tensor.name}, {"shape", tensor.shape}, {"offset", tensor.offset}});
  }
  return tensors;
}

}  // namespace

std::string listJson(const std::vector<ListedModel>& models) {
  Json list = Json::array();
  for (const auto& [network, purpose] : models) {
    Json json = headOf(network);
    json["for"] = purpose;
    list.push_back(std::move(json));
  }
  return list.dump(kIndent) + "\n";
}

std::string layerJson(const model::Network& network, const std::optional<WorkerMemory>& memory) {
  Json json = headOf(network);
  if (memory) {
    json["workerMemory"] = {
        {"bytes", memory->bytes}, {"samples", memory->samples}, {"kernels", memory->kernels}};
  }
  json["layers"] = Json::array();
  for (const model::Layer& layer : network.layers) {
    json["layers"].push_back({{"name", layer.spec.name},
                              {"type", model::kindName(layer.spec.kind)},
                              {"from", layer.from},
                              {"input", layer.input},
                              {"output", layer.output},
                              {"macs", layer.macs},
                              {"tensors", tensorsOf(layer, network)}});
  }
  return json.dump(kIndent) + "\n";
}

}  // namespace sumac::cli
