#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace sumac::planner {

enum class PlanGoal : std::uint8_t { kTime, kCost, kEfficiency };

/// "time", "cost", "efficiency".
std::string_view toString(PlanGoal goal);

/// One way to run the job, with what a cost model or a measurement says of it.
struct PlanCandidate {
  std::int64_t workers = 1;
  std::int64_t servers = 0;  // on machines of their own
  std::int64_t batch = 1;    // samples of a step, of all workers
  double steps = 0;          // to the target, with this mini-batch
  double seconds_per_step = 0;
  std::int64_t member_bytes = 0;  // memory that the limit is compared with
};

/// What a plan must keep; empty: no limit.
struct PlanLimits {
  std::optional<double> deadline_seconds;
  std::optional<double> budget;  // in the price's currency, here and below
  std::optional<std::int64_t> member_bytes;
};

enum class PlanLimit : std::uint8_t { kMemory, kDeadline, kBudget };

/// A limit that a plan does not keep: in bytes, seconds or money.
struct BrokenLimit {
  PlanLimit limit = PlanLimit::kMemory;
  double found = 0;
  double most = 0;

  bool operator==(const BrokenLimit&) const = default;
};

/// What a plan is judged by.
struct PlanRequest {
  PlanGoal goal = PlanGoal::kTime;
  PlanLimits limits;
  std::optional<double> price_per_hour;  // of one machine
  double seconds_of_one_worker = 0;      // of the whole job by the best one, for the efficiency
};

/// A candidate with its predictions.
struct RankedPlan {
  std::size_t candidate = 0;           // an index
  double seconds = 0;                  // of the whole job
  std::optional<double> cost;          // of all its machines; nothing without a price
  double efficiency = 0;               // progress a second and worker, as a share of one worker's
  std::vector<BrokenLimit> obstacles;  // why it cannot be taken; empty: it can
};

/// All candidates: those that can be taken first, each group by the goal; equal ones with fewer
/// machines first, then in their order. Efficiency ranks high values first, time and cost low ones.
/// A pure function.
///
/// Fails with kInvalid if there is no candidate, a number cannot be, or the goal or a limit is a
/// cost and there is no price.
Result<std::vector<RankedPlan>> rankPlans(std::span<const PlanCandidate> candidates,
                                          const PlanRequest& request);

}  // namespace sumac::planner
