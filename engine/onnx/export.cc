#include "engine/onnx/export.h"

#include <limits>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/core/version.h"
#include "engine/onnx/graph.h"
#include "engine/onnx/layers.h"

namespace sumac::onnx {
namespace {

using protobuf::Message;

/// Of a network of sequences: {samples, time steps, ...} and back.
std::string swapFirst(Graph& graph, const std::string& from, const std::string& to,
                      std::vector<std::int64_t> order) {
  return graph.add("Transpose", {from}, to, {{"perm", std::move(order)}});
}

/// The input of raw values, and what makes the network's input of them.
std::string addInput(const TrainedNetwork& trained, Graph& graph) {
  const model::Network& network = trained.network;
  std::vector<Extent> extents{"N"};
  if (network.isText()) {
    extents.emplace_back("T");
    graph.input(inputName(network), ElementType::kInt64, extents, "numbers of words");
    return swapFirst(graph, inputName(network), "input.tokens", {1, 0});
  }
  extents.insert(extents.end(), network.input.begin(), network.input.end());
  graph.input(inputName(network), ElementType::kFloat, extents,
              "raw values, as the data have them");
  const Normalization& normalization = trained.normalization;
  const auto divisor =
      graph.constant("input.divisor", model::Shape{}, std::span(&normalization.divisor, 1));
  auto x = graph.add("Div", {inputName(network), divisor}, "input.scaled");
  if (normalization.mean.empty()) return x;
  model::Shape shape(network.input.size(), 1);
  shape.front() = network.input.front();
  const auto mean = graph.constant("input.mean", shape, normalization.mean);
  const auto deviation = graph.constant("input.deviation", shape, normalization.deviation);
  x = graph.add("Sub", {x, mean}, "input.centered");
  return graph.add("Div", {x, deviation}, "input.normalized");
}

/// First, so that the states of an lstm come after them.
void declareOutputs(const model::Network& network, Graph& graph) {
  std::vector<Extent> extents{"N"};
  if (network.isText()) extents.emplace_back("T");
  extents.emplace_back(std::int64_t{network.classes});
  graph.output("probabilities", ElementType::kFloat, extents, "they sum to 1");
  graph.output("logits", ElementType::kFloat, extents, "before the softmax");
}

void addOutputs(const model::Network& network, const std::string& y, Graph& graph) {
  if (network.isText()) {
    swapFirst(graph, y, "logits", {1, 0, 2});
  } else {
    graph.add("Identity", {y}, "logits");
  }
  graph.add("Softmax", {"logits"}, "probabilities", {{"axis", std::int64_t{-1}}});
}

Message graphOf(const TrainedNetwork& trained) {
  const model::Network& network = trained.network;
  Graph graph;
  declareOutputs(network, graph);
  const std::string input = addInput(trained, graph);
  std::vector<std::string> outputs;
  for (const model::Layer& layer : network.layers) {
    std::vector<std::string> inputs;
    for (const int from : layer.from)
      inputs.push_back(from < 0 ? input : outputs.at(static_cast<std::size_t>(from)));
    const LayerContext context{trained, layer, graph, std::move(inputs)};
    outputs.push_back(
        std::visit([&](const auto& kind) { return addNodes(context, kind); }, layer.spec.kind));
  }
  addOutputs(network, outputs.back(), graph);
  return graph.message(network.name);
}

void addMetadata(const std::string& key, const std::string& value, Message& model) {
  Message entry;
  entry.addText(1, key);
  entry.addText(2, value);
  model.addMessage(14, entry);
}

/// ModelProto.
Message modelOf(const TrainedNetwork& trained) {
  Message opset;
  opset.addText(1, "");
  opset.addNumber(2, kOpset);
  Message model;
  model.addNumber(1, kIrVersion);
  model.addText(2, "sumac");
  model.addText(3, kVersion);
  model.addMessage(7, graphOf(trained));
  model.addMessage(8, opset);
  addMetadata("network", trained.network.name, model);
  if (trained.names.empty()) return model;
  const auto names =
      nlohmann::json(trained.names).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  addMetadata(trained.network.isText() ? "vocabulary" : "classes", names, model);
  return model;
}

void requireSizes(const TrainedNetwork& trained) {
  const model::Network& network = trained.network;
  SUMAC_CHECK(std::ssize(trained.weights) == network.parameters, trained.weights.size());
  SUMAC_CHECK(std::ssize(trained.statistics) == network.statistics, trained.statistics.size());
  SUMAC_CHECK(trained.names.empty() || std::ssize(trained.names) == network.classes,
              trained.names.size(), network.classes);
  const auto& [divisor, mean, deviation] = trained.normalization;
  SUMAC_CHECK(mean.size() == deviation.size(), mean.size(), deviation.size());
  SUMAC_CHECK(mean.empty() || std::ssize(mean) == network.input.front(), mean.size());
}

}  // namespace

std::string inputName(const model::Network& network) {
  if (network.isText()) return "tokens";
  return network.input.size() == 1 ? "features" : "image";
}

Result<Bytes> exportNetwork(const TrainedNetwork& trained) {
  requireSizes(trained);
  const Message model = modelOf(trained);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (model.size() > kMost) {
    return Error{ErrorCode::kUnsupported,
                 "network " + trained.network.name + " would make an ONNX file of " +
                     std::to_string(model.size()) +
                     " bytes, of which the format allows 2 GiB; use model.safetensors as it is"};
  }
  return model.bytes();
}

}  // namespace sumac::onnx
