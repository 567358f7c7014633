#pragma once

#include <array>
#include <vector>

#include "engine/image/operation.h"
#include "engine/image/value.h"
#include "job/model/network.h"

namespace sumac::worker::image {

/// An operation of a graph: which layers, and which values it takes and makes.
struct GraphOperation {
  Fused fused;
  std::vector<int> inputs;
  int output = 0;
  // For each input: a later operation already wrote its gradient, so that this one's is added to
  // it.
  std::vector<bool> adds;
};

/// How a network is computed: values (the first one is the input of the network) and the operations
/// between them, in order; what follows a convolution or a dense layer immediately is computed with
/// it. Values have not got their memory yet.
struct OperationGraph {
  std::vector<Value> values;
  std::vector<GraphOperation> operations;
  int logits = 0;
};

/// Requires a network that ends with the loss.
OperationGraph operationGraph(const model::Network& network);

/// Where the gradient of every value lies in the backward pass. Memory is reused once a gradient is
/// no longer needed.
struct GradientBuffers {
  std::vector<Arena::Piece> pieces;  // of each value; 0 for the network's input, which has none
  std::array<Arena::Piece, 2> scratch{};  // of gradients that are added to others
};

GradientBuffers placeGradientBuffers(const OperationGraph& graph, const Context& context);

}  // namespace sumac::worker::image
