#include <algorithm>
#include <cstdint>

#include "engine/onnx/layers.h"

namespace sumac::onnx {
namespace {

/// Values split along the first axis, one for each layer of an lstm; the value itself for one.
std::vector<std::string> splitOf(const LayerContext& context, const std::string& value,
                                 int layers) {
  if (layers == 1) return {value};
  std::vector<std::string> parts;
  for (int i = 0; i < layers; ++i)
    parts.push_back(value + std::to_string(i));
  context.graph.addMany("Split", {value}, parts, {{"axis", std::int64_t{0}}});
  return parts;
}

std::string joined(const LayerContext& context, const std::vector<std::string>& parts,
                   const std::string& name) {
  const bool is_one = parts.size() == 1;
  return is_one ? context.graph.add("Identity", parts, name)
                : context.graph.add("Concat", parts, name, {{"axis", std::int64_t{0}}});
}

/// A tensor of an lstm's gates in ONNX's order: input, output, forget, candidate. Ours is input,
/// forget, output, candidate.
std::vector<float> gatesOf(const LayerContext& context, std::size_t tensor) {
  const auto values = context.values(tensor);
  std::vector<float> gates(values.begin(), values.end());
  const auto gate = std::ssize(gates) / 4;
  std::swap_ranges(gates.begin() + gate, gates.begin() + 2 * gate, gates.begin() + 2 * gate);
  return gates;
}

std::string addGates(const LayerContext& context, std::size_t tensor, const model::Shape& shape) {
  return context.graph.constant(context.tensor(tensor).name, shape, gatesOf(context, tensor));
}

/// ONNX adds two biases, of the input and of h; ours is one.
std::string addBias(const LayerContext& context, std::size_t tensor) {
  auto both = gatesOf(context, tensor);
  both.resize(2 * both.size());
  return context.graph.constant(context.tensor(tensor).name, {1, std::ssize(both)}, both);
}

/// The values of one layer of an lstm.
struct OneLayer {
  std::string x;  // its input
  std::string h;  // its state
  std::string c;
};

/// Replaces a layer's input and state by its output and next state.
void step(const LayerContext& context, std::size_t index, std::int64_t units, OneLayer& values) {
  const std::size_t first = 3 * index;
  const auto named = [&](const char* what) { return context.own(what + std::to_string(index)); };
  const std::int64_t inputs = context.tensor(first).shape.at(1);
  const std::string all = named("all");
  const std::string h = named("after_h");
  const std::string c = named("after_c");
  context.graph.addMany("LSTM",
                        {values.x, addGates(context, first, {1, 4 * units, inputs}),
                         addGates(context, first + 1, {1, 4 * units, units}),
                         addBias(context, first + 2), "", values.h, values.c},
                        {all, h, c}, {{"hidden_size", units}});
  const auto axis = context.graph.constant(named("axis"), {1});  // of the directions: one
  values = {context.graph.add("Squeeze", {all, axis}, named("y")), h, c};
}

}  // namespace

std::string addNodes(const LayerContext& context, const model::Embedding& /*embedding*/) {
  return context.graph.add("Gather", {context.weight(0), context.x()}, context.out());
}

std::string addNodes(const LayerContext& context, const model::Lstm& lstm) {
  const std::vector<Extent> extents{std::int64_t{lstm.layers}, "N", std::int64_t{lstm.outputs}};
  const std::string h = context.own("h");
  const std::string c = context.own("c");
  context.graph.input(h, ElementType::kFloat, extents, "state before; zeros at a text's beginning");
  context.graph.input(c, ElementType::kFloat, extents, "state before; zeros at a text's beginning");
  std::vector<std::string> hs = splitOf(context, h, lstm.layers);
  std::vector<std::string> cs = splitOf(context, c, lstm.layers);
  OneLayer values{context.x(), {}, {}};
  for (std::size_t i = 0; i < hs.size(); ++i) {
    values.h = hs[i];
    values.c = cs[i];
    step(context, i, lstm.outputs, values);
    hs[i] = values.h;
    cs[i] = values.c;
  }
  context.graph.output(joined(context, hs, context.own("next_h")), ElementType::kFloat, extents,
                       "state for what follows");
  context.graph.output(joined(context, cs, context.own("next_c")), ElementType::kFloat, extents,
                       "state for what follows");
  return values.x;
}

}  // namespace sumac::onnx
