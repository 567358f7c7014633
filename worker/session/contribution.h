#pragma once

#include <span>

#include "common/plan/part_tree.h"

namespace sumac::worker {

/// The sums inside one worker's block: one flat vector (ExchangePlan::values long) for each maximal
/// tree node. A view: who made it says how long the values live.
struct Contribution {
  TreeNode node;
  std::span<const float> values;
};

}  // namespace sumac::worker
