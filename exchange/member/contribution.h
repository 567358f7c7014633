#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "exchange/plan/part_tree.h"

namespace sumac {

/// The sum over one maximal tree node of a worker's block, a flat vector of ExchangePlan::values
/// values. A view.
struct Contribution {
  TreeNode node;
  std::span<const float> values;
  std::shared_ptr<const void> owner = nullptr;  // keeps the values where they are
};

/// A range of one of a step's contributions, counted from 0, whose values are final: nobody changes
/// them before the lease is returned.
struct FinalRange {
  std::size_t contribution = 0;
  std::uint32_t range = 0;

  bool operator==(const FinalRange&) const = default;
};

/// Held by whoever may still read the contributions of a step: their values stay as they are until
/// the last copy is dropped, on any thread.
using Lease = std::shared_ptr<const void>;

}  // namespace sumac
