#include "planner/parallel/oracle.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/parallel/data_parallel.h"
#include "planner/parallel/filter.h"
#include "planner/parallel/spatial.h"

namespace sumac::planner {
namespace {

bool isHybrid(Strategy strategy) {
  return strategy == Strategy::kDataFilter || strategy == Strategy::kDataSpatial;
}

bool hasStages(Strategy strategy) {
  return strategy == Strategy::kLayer || strategy == Strategy::kPipeline;
}

/// What balances stages.
enum class Weigh : std::uint8_t { kTime, kMemory };

Stages stagesFor(const ParallelCase& question, std::int64_t members, Weigh weigh) {
  if (!question.choices.stages.empty()) return question.choices.stages;
  const auto batch = static_cast<double>(question.training.batch_size);
  std::vector<double> costs;
  costs.reserve(question.network.layers.size());
  for (const LayerCost& layer : question.network.layers) {
    costs.push_back(weigh == Weigh::kTime
                        ? layer.forward_seconds + layer.backward_seconds
                        : batch * (layer.input_items + layer.output_items) + layer.weight_items);
  }
  return balancedStages(costs, static_cast<std::size_t>(members));
}

Estimate estimate(const ParallelCase& question, Strategy strategy, const Grid& grid,
                  const Stages& stages) {
  switch (strategy) {
    case Strategy::kSerial:
    case Strategy::kData: return dataParallel(question, grid.members());
    case Strategy::kSpatial:
    case Strategy::kDataSpatial: return dataSpatialParallel(question, grid);
    case Strategy::kLayer: return layerParallel(question, stages);
    case Strategy::kPipeline: return pipelineParallel(question, stages);
    case Strategy::kFilter:
    case Strategy::kChannel:
    case Strategy::kDataFilter: return dataFilterParallel(question, grid);
  }
  return {};
}

/// The strategy with members arranged as it needs them.
Grid arranged(Strategy strategy, const Grid& grid) {
  if (isHybrid(strategy)) return grid;
  const bool divides_samples = strategy == Strategy::kData || strategy == Strategy::kSerial;
  return divides_samples ? Grid{grid.members(), 1} : Grid{1, grid.members()};
}

bool fits(const ParallelCase& question, const Estimate& estimate) {
  return !question.machines.memory_bytes ||
         estimate.memory_bytes <= *question.machines.memory_bytes;
}

/// The largest mini-batch whose memory fits, below the one asked for; 0: none.
std::int64_t largestBatch(const ParallelCase& question, const Assessment& assessed) {
  ParallelCase smaller = question;
  std::int64_t low = 0;
  std::int64_t high = question.training.batch_size;
  while (high - low > 1) {
    smaller.training.batch_size = low + (high - low) / 2;
    const bool is_small_enough =
        fits(smaller, estimate(smaller, assessed.strategy, assessed.grid, assessed.stages));
    (is_small_enough ? low : high) = smaller.training.batch_size;
  }
  smaller.training.batch_size = low;
  if (low == 0 || brokenLimit(smaller, assessed.strategy, assessed.grid)) return 0;
  return low;
}

bool isFinite(const Estimate& estimate) {
  return std::isfinite(estimate.time.total()) && std::isfinite(estimate.memory_bytes);
}

Result<void> checkGrid(const Grid& grid) {
  const bool is_right = grid.groups >= 1 && grid.groups <= kMostMembers && grid.inner >= 1 &&
                        grid.inner <= kMostMembers && grid.members() <= kMostMembers;
  if (is_right) return {};
  return Error{ErrorCode::kInvalid, std::to_string(grid.groups) + " groups of " +
                                        std::to_string(grid.inner) +
                                        " members; give 1 to 1000000 members in all"};
}

/// The estimate with its stages, by time or, where these do not fit the memory, by memory.
Result<void> calculate(const ParallelCase& question, Assessment& assessed) {
  const auto with = [&](Weigh weigh) {
    if (hasStages(assessed.strategy))
      assessed.stages = stagesFor(question, assessed.grid.members(), weigh);
    assessed.estimate = estimate(question, assessed.strategy, assessed.grid, assessed.stages);
  };
  with(Weigh::kTime);
  if (hasStages(assessed.strategy) && !fits(question, *assessed.estimate)) with(Weigh::kMemory);
  if (isFinite(*assessed.estimate)) return {};
  return Error{ErrorCode::kInvalid,
               std::string("the estimate of ") + std::string(toString(assessed.strategy)) +
                   " parallelism is too large for a number; are the layers' figures right?"};
}

/// Whether it can be used, without which mini-batch would fit (explain()). Requires a checked case
/// and grid.
Result<Assessment> evaluate(const ParallelCase& question, Strategy strategy, const Grid& grid) {
  Assessment result{.strategy = strategy, .grid = arranged(strategy, grid)};
  result.refusal = brokenLimit(question, strategy, result.grid);
  if (result.refusal) return result;
  const auto stages = static_cast<std::int64_t>(question.choices.stages.size());
  if (hasStages(strategy) && stages > 0 && stages != result.grid.members()) {
    result.refusal = Refusal{Obstacle::kStages, stages, {result.grid.members()}};
    return result;
  }
  if (const auto calculated = calculate(question, result); !calculated) return calculated.error();
  if (!fits(question, *result.estimate))
    result.refusal =
        Refusal{.obstacle = Obstacle::kMemory, .memory_bytes = *question.machines.memory_bytes};
  return result;
}

/// Adds what the figures mean.
Assessment explain(const ParallelCase& question, Assessment assessed) {
  if (!assessed.estimate) return assessed;
  if (!assessed.isFeasible()) assessed.refusal->found = largestBatch(question, assessed);
  assessed.findings =
      findBottlenecks(question, assessed.strategy, assessed.grid, *assessed.estimate);
  return assessed;
}

/// Usable ones by time, then those that need too much memory by that, then the rest.
bool isBetter(const Assessment& a, const Assessment& b) {
  if (a.isFeasible() != b.isFeasible()) return a.isFeasible();
  if (a.estimate.has_value() != b.estimate.has_value()) return a.estimate.has_value();
  if (!a.estimate) return false;
  return a.isFeasible() ? a.estimate->time.total() < b.estimate->time.total()
                        : a.estimate->memory_bytes < b.estimate->memory_bytes;
}

/// The best grid of groups and inner members, both more than one.
Result<Assessment> bestGrid(const ParallelCase& question, Strategy strategy, std::int64_t members) {
  std::optional<Assessment> best;
  for (std::int64_t groups = 2; groups <= members / 2; ++groups) {
    if (members % groups != 0) continue;
    auto tried = evaluate(question, strategy, {groups, members / groups});
    if (!tried) return tried.error();
    if (!best || isBetter(*tried, *best)) best = std::move(*tried);
  }
  if (best) return std::move(*best);
  Assessment none{.strategy = strategy, .grid = {members, 1}};
  none.refusal = Refusal{Obstacle::kNoGroups, members};
  return none;
}

void setRanks(std::vector<Assessment>& sorted) {
  constexpr double kEqual = 1e-12;  // relative: rounding, not time
  for (std::size_t i = 0; i < sorted.size() && sorted[i].isFeasible(); ++i) {
    const double own = sorted[i].estimate->time.total();
    const bool is_tie = i > 0 && own - sorted[i - 1].estimate->time.total() <= kEqual * own;
    sorted[i].rank = is_tie ? sorted[i - 1].rank : static_cast<int>(i) + 1;
  }
}

}  // namespace

Result<Assessment> assess(const ParallelCase& question, Strategy strategy, const Grid& grid) {
  if (const auto checked = check(question); !checked) return checked.error();
  if (const auto checked = checkGrid(grid); !checked) return checked.error();
  auto assessed = evaluate(question, strategy, grid);
  if (!assessed) return assessed;
  return explain(question, std::move(*assessed));
}

Result<std::vector<Assessment>> rankStrategies(const ParallelCase& question, std::int64_t members) {
  if (const auto checked = check(question); !checked) return checked.error();
  if (const auto checked = checkGrid({members, 1}); !checked) return checked.error();
  std::vector<Assessment> all;
  for (const Strategy strategy : kStrategies) {
    const Grid grid{strategy == Strategy::kSerial ? 1 : members, 1};
    auto assessed = isHybrid(strategy) ? bestGrid(question, strategy, members)
                                       : evaluate(question, strategy, grid);
    if (!assessed) return assessed.error();
    all.push_back(explain(question, std::move(*assessed)));
  }
  std::ranges::stable_sort(all, isBetter);
  setRanks(all);
  return all;
}

}  // namespace sumac::planner
