#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/autoscaling/memory.h"
#include "planner/autoscaling/size_model.h"

namespace sumac::autoscaling {

enum class Goal : std::uint8_t { kThroughput, kEfficiency, kDeadline, kCost };

/// What an hour costs. All 0: workers are counted instead.
struct Prices {
  double worker_hour = 0;
  double server_hour = 0;

  double of(double worker_seconds, double server_seconds) const;

  bool operator==(const Prices&) const = default;
};

/// How a job chooses its number of workers. Numbers that no goal can have are taken for the nearest
/// that it can, or no number for the default.
struct Policy {
  Goal goal = Goal::kThroughput;
  double target_efficiency = 0.7;     // of efficiency: 0 to 1, of that with the fewest workers
  double deadline_seconds = 0;        // of deadline: since the job started
  Prices prices = {};                 // of deadline, and cost
  double budget = 0;                  // of cost: money for the whole job
  double stabilization_seconds = 60;  // how long a size is observed before another one is chosen

  bool operator==(const Policy&) const = default;
};

/// How many workers fit, since pods stay pending or a quota refuses them.
struct Room {
  int most = 0;
  double until = 0;  // when more may be tried again: at most an hour from now counts

  bool operator==(const Room&) const = default;
};

/// What a decision depends on. Times are seconds since the job started (status.startTime),
/// suspended time included.
struct Situation {
  int min_workers = 1;
  int max_workers = 1;  // at most V counts
  int parts = 1;        // V
  int servers = 0;      // K, for their price
  double now = 0;
  double steps_left = 0;
  int workers = 1;            // as last decided
  double since = 0;           // when that many began to train
  double change_seconds = 5;  // for which all stand still at a change: the mean, or a prior
  std::optional<Room> room = {};
  double spent = 0;  // money, until now
  std::vector<ExpectedStep> expected = {};
  Memory memory = {};

  bool operator==(const Situation&) const = default;
};

/// What a change costs before one was measured.
inline constexpr double kChangeInPlaceSeconds = 5;
inline constexpr double kChangeByRestartSeconds = 60;

enum class Reason : std::uint8_t {
  // It stays.
  kMeasuring,    // too few steps with this size
  kStabilizing,  // another size is wanted; Policy::stabilization_seconds are not over
  kStraggler,    // one worker slows all others, and another number would not help
  kRightSize,    // what the policy wants
  kNotWorth,     // another size is wanted, and saves too little until the end
  kDone,         // no steps are left
  // It changes.
  kSavesTime,
  kSavesCost,
  kDeadline,  // would be missed
  kBudget,    // would be exceeded
  kTarget,    // efficiency is more than 10 % of it below its target
  kRoom,      // for fewer workers
  kBounds,    // the size is outside min and max
  // Of a HorizontalPodAutoscaler, in simulated jobs alone, that it changes or stays.
  kUtilization,
};

bool isChange(Reason reason);

struct Decision {
  int workers = 1;
  Reason reason = Reason::kMeasuring;
  int wanted = 1;    // what the policy would choose if changes were free
  SizeTime step;     // with `workers`; 0 s: not known
  double saves = 0;  // until the end: kSavesTime in seconds, kSavesCost in money or worker-seconds
  bool is_settled = false;  // remember() keeps that it is the right size
  int most = 1;             // workers that bounds and room allow
  double late_seconds = 0;  // by which the deadline would be missed all the same
  double over_budget = 0;   // money by which the budget would be exceeded all the same
  double utilization = 0;   // kUtilization: processor time of a worker, of its request
  double look_again = 0;    // when to decide again at the latest, even without new progress
  std::optional<Straggler> straggler = {};  // one of these workers

  bool operator==(const Decision&) const = default;
};

/// The number of workers that a policy chooses (docs/planning.md, "A job that sizes itself").
///
/// Only useful sizes within the bounds are chosen, and only those that there is room for; a job
/// whose size is none of these keeps it until a change pays. Total: every situation has a decision,
/// however its numbers came about (edited by hand, not a number, clocks that jump). Pure; at most
/// 100 us, 27 of them for V of 1,024.
Decision decide(const Policy& policy, const Situation& situation);

/// Notes in a job's memory what was decided for it.
void remember(Memory& memory, const Decision& decision);

}  // namespace sumac::autoscaling
