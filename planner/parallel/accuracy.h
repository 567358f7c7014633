#pragma once

#include <span>
#include <vector>

#include "common/base/result.h"

namespace sumac::planner {

/// How true a projection was: 1 - |projected - measured| / measured, as Kahira et al. 2021 define
/// it in the final text (from memory, docs/papers.md). It equals the report's projected /
/// measured where the projection is too low. Can be negative. Fails with kInvalid unless both are
/// finite and measured > 0, projected >= 0.
Result<double> projectionAccuracy(double projected, double measured);

/// Ranks from 1 by ascending value; equal values share the lower rank: {3, 1, 1} has {3, 1, 1}.
std::vector<int> ranksOf(std::span<const double> values);

/// The share of pairs that both lists put in the same order, from 0 to 1. A pair that either list
/// ties agrees: filter and channel parallelism cost the same in the model. 1 without pairs. Fails
/// with kInvalid when the lists differ in length, or a value is not a number.
Result<double> rankAgreement(std::span<const double> projected, std::span<const double> measured);

}  // namespace sumac::planner
