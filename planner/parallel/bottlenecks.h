#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/parallel/estimate.h"
#include "planner/parallel/parallel_case.h"

namespace sumac::planner {

/// The categories of Kahira et al. 2021 (docs/papers.md).
enum class Category : std::uint8_t { kCommunication, kMemory, kComputation, kScaling };

enum class Origin : std::uint8_t {
  kLimitation,  // of the strategy
  kBottleneck,  // of a framework or system: may be better elsewhere
};

std::string_view toString(Category category);

/// What holds a strategy up.
struct Finding {
  Category category = Category::kCommunication;
  Origin origin = Origin::kLimitation;
  /// Whether the estimate has it. What it does not have can only make the strategy slower.
  bool is_in_estimate = true;
  std::string text;
};

/// Their limitations and bottlenecks that apply. The paper names the limitations and bottlenecks;
/// from which share on one is worth a word are thresholds of ours (bottlenecks.cc). Requires a
/// checked case and the estimate of this strategy and grid.
std::vector<Finding> findBottlenecks(const ParallelCase& question, Strategy strategy,
                                     const Grid& grid, const Estimate& estimate);

}  // namespace sumac::planner
