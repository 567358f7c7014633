#pragma once

#include <span>

#include "common/plan/part_tree.h"

namespace sumac::worker {

/// The sum over one maximal tree node of a worker's block, a flat vector of ExchangePlan::values
/// values. A view: the owner of the values says how long they live.
struct Contribution {
  TreeNode node;
  std::span<const float> values;
};

}  // namespace sumac::worker
