#pragma once

#include <array>
#include <vector>

#include "worker/nn/lanes/operation.h"
#include "worker/nn/lanes/operation_plan.h"

namespace sumac::worker::lanes {

/// Where the gradient of every value lies in the backward pass. Memory is reused once a gradient is
/// no longer needed.
struct GradientBuffers {
  std::vector<Arena::Piece> pieces;  // of each value; 0 for the network's input, which has none
  std::array<Arena::Piece, 2> scratch{};  // of gradients that are added to others
};

GradientBuffers planGradientBuffers(const OperationPlan& plan, const Context& context);

}  // namespace sumac::worker::lanes
