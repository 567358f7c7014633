#pragma once

#include <memory>
#include <span>

#include "common/plan/part_tree.h"

namespace sumac::worker {

/// The sum over one maximal tree node of a worker's block, a flat vector of ExchangePlan::values
/// values. A view.
struct Contribution {
  TreeNode node;
  std::span<const float> values;
  std::shared_ptr<const void> owner = nullptr;  // keeps the values where they are
};

/// Held by whoever may still read the contributions of a step: their values stay as they are until
/// the last copy is dropped, on any thread.
using Lease = std::shared_ptr<const void>;

}  // namespace sumac::worker
