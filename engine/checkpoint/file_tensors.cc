#include "engine/checkpoint/file_tensors.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "base/core/check.h"

namespace sumac::checkpoint {
namespace {

enum class Form {
  kPlain,  // the same in the engine and in a file
  kGates,  // an LSTM's weights
  kBias,   // an LSTM's bias
};

/// One for each tensor of the network.
std::vector<Form> formsOf(const model::Network& network) {
  constexpr std::size_t kTensorsOfALayer = 3;  // weight_ih, weight_hh, bias
  std::vector<Form> forms(network.tensors.size(), Form::kPlain);
  for (const model::Layer& layer : network.layers) {
    if (!std::holds_alternative<model::Lstm>(layer.spec.kind)) continue;
    for (std::size_t i = 0; i < layer.tensors.size(); ++i) {
      const bool is_bias = i % kTensorsOfALayer == kTensorsOfALayer - 1;
      forms.at(static_cast<std::size_t>(layer.tensors[i])) = is_bias ? Form::kBias : Form::kGates;
    }
  }
  return forms;
}

/// "lstm1.bias_l0" as "lstm1.bias_ih_l0".
std::string biasName(const std::string& name, const char* kind) {
  constexpr std::string_view kBias = "bias";
  const auto at = name.rfind("bias_l");
  SUMAC_CHECK(at != name.npos, name);
  return name.substr(0, at) + kind + name.substr(at + kBias.size());
}

void append(model::Network& to, model::Tensor tensor, std::string name) {
  tensor.name = std::move(name);
  tensor.offset = to.parameters;
  to.parameters += tensor.count();
  to.tensors.push_back(std::move(tensor));
}

/// Between (input, forget, output, candidate) and (input, forget, candidate, output).
void swapGates(std::span<float> gates) {
  const std::size_t gate = gates.size() / 4;
  std::ranges::swap_ranges(gates.subspan(2 * gate, gate), gates.subspan(3 * gate));
}

/// Takes the next `count` values off the front.
std::span<const float> take(std::span<const float>& values, std::size_t count) {
  const auto taken = values.first(count);
  values = values.subspan(count);
  return taken;
}

/// A zero changes nothing, not even the sign of a zero: what we wrote comes back as it was.
void add(std::span<float> to, std::span<const float> values) {
  for (std::size_t i = 0; i < to.size(); ++i)
    if (values[i] != 0.0F) to[i] += values[i];
}

}  // namespace

model::Network fileTensors(const model::Network& network) {
  const std::vector<Form> forms = formsOf(network);
  model::Network file;
  file.name = network.name;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const model::Tensor& tensor = network.tensors[i];
    if (forms[i] == Form::kBias) {
      append(file, tensor, biasName(tensor.name, "bias_ih"));
      append(file, tensor, biasName(tensor.name, "bias_hh"));
    } else {
      append(file, tensor, tensor.name);
    }
  }
  return file;
}

std::vector<float> toFile(const model::Network& network, std::span<const float> values) {
  SUMAC_CHECK(values.size() == static_cast<std::size_t>(network.parameters), values.size(),
              network.parameters);
  const std::vector<Form> forms = formsOf(network);
  std::vector<float> file;
  file.reserve(static_cast<std::size_t>(fileTensors(network).parameters));
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto count = static_cast<std::size_t>(network.tensors[i].count());
    const auto tensor = take(values, count);
    file.insert(file.end(), tensor.begin(), tensor.end());
    if (forms[i] != Form::kPlain) swapGates(std::span(file).last(count));
    if (forms[i] == Form::kBias) file.insert(file.end(), count, 0.0F);
  }
  return file;
}

std::vector<float> fromFile(const model::Network& network, std::span<const float> values) {
  const auto expected = fileTensors(network).parameters;
  SUMAC_CHECK(values.size() == static_cast<std::size_t>(expected), values.size(), expected);
  const std::vector<Form> forms = formsOf(network);
  std::vector<float> plan;
  plan.reserve(static_cast<std::size_t>(network.parameters));
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto count = static_cast<std::size_t>(network.tensors[i].count());
    const auto tensor = take(values, count);
    plan.insert(plan.end(), tensor.begin(), tensor.end());
    const auto added = std::span(plan).last(count);
    if (forms[i] == Form::kBias) add(added, take(values, count));
    if (forms[i] != Form::kPlain) swapGates(added);
  }
  return plan;
}

}  // namespace sumac::checkpoint
