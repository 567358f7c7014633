#include "engine/image/operation_graph.h"

#include <algorithm>
#include <variant>

#include "base/core/check.h"

namespace sumac::worker::image {
namespace {

template <typename Kind>
const Kind* kindOf(const model::Layer& layer) {
  return std::get_if<Kind>(&layer.spec.kind);
}

int activationOf(const model::Layer& layer) {
  if (kindOf<model::Relu>(layer) != nullptr) return kSumacRelu;
  if (kindOf<model::Tanh>(layer) != nullptr) return kSumacTanh;
  if (kindOf<model::Sigmoid>(layer) != nullptr) return kSumacSigmoid;
  return kSumacIdentity;
}

/// Max-pooling that a convolution can do in registers. It commutes with every activation: they
/// all rise.
bool poolsPairs(const model::Layer& layer) {
  const auto* const pool = kindOf<model::MaxPool>(layer);
  if (pool == nullptr || pool->kernel != 2 || pool->stride != 2 || pool->padding != 0) return false;
  return layer.output.at(1) == layer.input.at(1) / 2 && layer.output.at(2) == layer.input.at(2) / 2;
}

class GraphMaker {
 public:
  explicit GraphMaker(const model::Network& network)
      : network_(network), consumers_(network.layers.size()), value_of_(network.layers.size()) {}

  OperationGraph run() {
    for (const model::Layer& layer : network_.layers) {
      for (const int from : layer.from)
        if (from >= 0) ++consumers_.at(at(from));
    }
    addValue(-1);
    for (std::size_t i = 0; i + 1 < network_.layers.size(); ++i) {
      const model::Layer& layer = network_.layers[i];
      if (kindOf<model::Flatten>(layer) != nullptr && valueBefore(layer).image.border == 0) {
        value_of_[i] = idBefore(layer, 0);
      } else {
        i = addOperation(i);
      }
    }
    graph_.logits = idBefore(network_.layers.back(), 0);
    findAdditions();
    return std::move(graph_);
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  int idBefore(const model::Layer& layer, std::size_t n) const {
    const int from = layer.from.at(n);
    return from < 0 ? 0 : value_of_.at(at(from));
  }
  const Value& valueBefore(const model::Layer& layer) const {
    return graph_.values.at(at(idBefore(layer, 0)));
  }

  /// The value that a layer makes, with the border that the convolutions after it need.
  int addValue(int index) {
    const model::Shape& shape = index < 0 ? network_.input : network_.layers.at(at(index)).output;
    Value value;
    value.image = {1, 1, extent(model::count(shape)), 0};
    if (shape.size() == 3) value.image = {extent(shape[0]), extent(shape[1]), extent(shape[2]), 0};
    for (const model::Layer& layer : network_.layers) {
      const auto* const conv = kindOf<model::Conv2d>(layer);
      if (conv == nullptr || layer.from.at(0) != index) continue;
      value.image.border = std::max(value.image.border, extent(conv->padding));
    }
    graph_.values.push_back(value);
    return static_cast<int>(graph_.values.size()) - 1;
  }

  /// Whether layer `last + 1` is the only one that takes the output of `last`.
  bool continues(std::size_t last) const {
    return last + 2 < network_.layers.size() && consumers_[last] == 1 &&
           network_.layers[last + 1].from == std::vector<int>{static_cast<int>(last)};
  }

  /// Returns the last layer that it covers.
  std::size_t addOperation(std::size_t first) {
    const model::Layer& layer = network_.layers[first];
    const bool is_conv = kindOf<model::Conv2d>(layer) != nullptr;
    const bool is_dense = kindOf<model::Dense>(layer) != nullptr;
    GraphOperation node;
    node.fused.layer = static_cast<int>(first);
    for (std::size_t n = 0; n < layer.from.size(); ++n)
      node.inputs.push_back(idBefore(layer, n));
    std::size_t last = first;
    while ((is_conv || is_dense) && continues(last)) {
      const model::Layer& next = network_.layers[last + 1];
      const int activation = activationOf(next);
      if (activation != kSumacIdentity && node.fused.activation == kSumacIdentity) {
        node.fused.activation = activation;
      } else if (is_conv && !node.fused.pool && poolsPairs(next)) {
        node.fused.pool = true;
      } else {
        break;
      }
      ++last;
    }
    if (activationOf(layer) != kSumacIdentity) node.fused.activation = activationOf(layer);
    node.output = addValue(static_cast<int>(last));
    for (std::size_t i = first; i <= last; ++i)
      value_of_[i] = node.output;
    graph_.operations.push_back(std::move(node));
    return last;
  }

  void findAdditions() {
    std::vector<bool> written(graph_.values.size());
    for (auto operation = graph_.operations.rbegin(); operation != graph_.operations.rend();
         ++operation) {
      for (const int input : operation->inputs) {
        operation->adds.push_back(written[at(input)]);
        written[at(input)] = true;
      }
    }
  }

  const model::Network& network_;  // outlives us
  std::vector<int> consumers_;
  std::vector<int> value_of_;
  OperationGraph graph_;
};

/// Hands out pieces of the arena: of those released the smallest that is large enough.
class Pieces {
 public:
  explicit Pieces(const Context& context) : context_(context) {}

  Arena::Piece take(std::size_t floats) {
    auto best = free_.end();
    for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
      if (piece->floats >= floats && (best == free_.end() || piece->floats < best->floats))
        best = piece;
    }
    if (best == free_.end()) {
      taken_.push_back({context_.reserve(floats), floats});
    } else {
      taken_.push_back(*best);
      free_.erase(best);
    }
    return taken_.back().at;
  }

  void release(Arena::Piece at) {
    const auto piece =
        std::find_if(taken_.begin(), taken_.end(), [&](const Piece& p) { return p.at == at; });
    free_.push_back(*piece);
    taken_.erase(piece);
  }

 private:
  struct Piece {
    Arena::Piece at;
    std::size_t floats;
  };

  const Context& context_;  // outlives us
  std::vector<Piece> free_;
  std::vector<Piece> taken_;
};

}  // namespace

OperationGraph operationGraph(const model::Network& network) {
  return GraphMaker(network).run();
}

GradientBuffers placeGradientBuffers(const OperationGraph& graph, const Context& context) {
  const auto sizeOf = [&](int value) {
    return context.max_blocks * graph.values.at(extent(value)).count() * context.lanes();
  };
  GradientBuffers buffers;
  buffers.pieces.assign(graph.values.size(), 0);
  Pieces pieces(context);
  std::array<std::size_t, 2> scratch{};
  buffers.pieces.at(extent(graph.logits)) = pieces.take(sizeOf(graph.logits));
  for (auto operation = graph.operations.rbegin(); operation != graph.operations.rend();
       ++operation) {
    for (std::size_t i = 0; i < operation->inputs.size(); ++i) {
      const int input = operation->inputs[i];
      if (input == 0) continue;
      if (operation->adds[i]) {
        scratch.at(i) = std::max(scratch.at(i), sizeOf(input));
      } else {
        buffers.pieces.at(extent(input)) = pieces.take(sizeOf(input));
      }
    }
    pieces.release(buffers.pieces.at(extent(operation->output)));
  }
  for (std::size_t i = 0; i < scratch.size(); ++i)
    buffers.scratch.at(i) = context.reserve(scratch.at(i));
  return buffers;
}

}  // namespace sumac::worker::image
