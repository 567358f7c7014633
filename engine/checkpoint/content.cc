#include "engine/checkpoint/content.h"

#include <map>
#include <utility>

#include "base/core/check.h"
#include "engine/checkpoint/file_tensors.h"
#include "engine/checkpoint/safetensors.h"

namespace sumac::checkpoint {

model::Network optimizerNetwork(const model::Network& network,
                                const std::vector<std::string>& vectors) {
  model::Network stacked;
  for (const std::string& vector : vectors) {
    for (model::Tensor tensor : network.tensors) {
      tensor.name = vector + "/" + tensor.name;
      tensor.offset += stacked.parameters;
      stacked.tensors.push_back(std::move(tensor));
    }
    stacked.parameters += network.parameters;
  }
  return stacked;
}

model::Network stateNetwork(std::int64_t recurrent, std::int64_t statistics) {
  model::Network network;
  for (const auto& [name, count] :
       {std::pair("recurrent", recurrent), std::pair("statistics", statistics)}) {
    if (count == 0) continue;
    model::Tensor tensor;
    tensor.name = name;
    tensor.shape = {count};
    tensor.offset = network.parameters;
    network.tensors.push_back(std::move(tensor));
    network.parameters += count;
  }
  return network;
}

namespace {

void addState(Content& content, const State& state,
              const std::map<std::string, std::string>& metadata) {
  Manifest& manifest = content.manifest;
  manifest.recurrent = std::ssize(state.recurrent);
  manifest.statistics = std::ssize(state.statistics);
  if (!manifest.hasState()) return;
  std::vector<float> both = state.recurrent;
  both.insert(both.end(), state.statistics.begin(), state.statistics.end());
  content.state =
      encodeSafetensors(stateNetwork(manifest.recurrent, manifest.statistics), both, metadata);
  manifest.state_file = FileEntry::of(kStateFile, content.state);
}

}  // namespace

Content contentOf(const model::Network& network, const State& state) {
  const auto count = static_cast<std::size_t>(network.parameters);
  Content content;
  std::vector<float> stacked;
  for (const auto& [name, values] : state.optimizer) {
    SUMAC_CHECK(values.size() == count, name, values.size(), count);
    content.manifest.optimizer.push_back(name);
    const auto in_file = toFile(network, values);
    stacked.insert(stacked.end(), in_file.begin(), in_file.end());
  }
  const std::map<std::string, std::string> metadata{
      {"format", "pt"}, {"network", network.name}, {"step", std::to_string(state.step)}};
  const model::Network tensors = fileTensors(network);
  content.model = encodeSafetensors(tensors, toFile(network, state.weights), metadata);
  content.optimizer =
      encodeSafetensors(optimizerNetwork(tensors, content.manifest.optimizer), stacked, metadata);
  content.manifest.step = state.step;
  content.manifest.term = state.term;
  content.manifest.plan_hash = state.plan_hash;
  content.manifest.numerics = state.numerics;
  content.manifest.algorithm = state.algorithm;
  content.manifest.workers = state.workers;
  if (!state.algorithm.empty()) content.manifest.format = kAlgorithmFormat;
  content.manifest.model = FileEntry::of(kModelFile, content.model);
  content.manifest.optimizer_file = FileEntry::of(kOptimizerFile, content.optimizer);
  addState(content, state, metadata);
  content.job = state.plan_lines;
  return content;
}

}  // namespace sumac::checkpoint
