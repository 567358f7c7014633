#pragma once

#include <array>
#include <vector>

#include "worker/nn/lanes/operation.h"
#include "worker/nn/lanes/operation_plan.h"

namespace sumac::worker::lanes {

/// Where the slopes of every value are on the way back. Pieces serve again when their slopes were
/// used.
struct SlopesPlan {
  std::vector<Arena::Piece> pieces;  // of each value; 0 for the network's input, which has none
  std::array<Arena::Piece, 2> scratch{};  // of slopes that are to be added to others
};

SlopesPlan planSlopes(const OperationPlan& plan, const Context& context);

}  // namespace sumac::worker::lanes
