#include "planner/parallel/bottlenecks.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "planner/parallel/data_parallel.h"

namespace sumac::planner {
namespace {

constexpr double kNoticeable = 0.1;   // of an epoch
constexpr double kLongUpdate = 0.11;  // the least of the shares that the paper measured: 11 to 15 %
constexpr double kRedundant = 0.5;    // of the memory
constexpr double kNearlyFull = 0.85;  // of the memory limit
constexpr double kUnbalanced = 1.1;   // slowest stage / mean
constexpr double kNearLimit = 0.5;    // of the most members
constexpr std::int64_t kCongested = 512;  // members: from here on the paper saw outliers

/// What all rules look at.
class Rules {
 public:
  Rules(const ParallelCase& question, Strategy strategy, const Grid& grid, const Estimate& estimate)
      : question_(question), strategy_(strategy), grid_(grid), estimate_(estimate) {}

  std::vector<Finding> apply() && {
    communication();
    messages();
    memory();
    computation();
    scaling();
    return std::move(found_);
  }

 private:
  bool isOneOf(std::initializer_list<Strategy> strategies) const {
    return std::ranges::find(strategies, strategy_) != strategies.end();
  }
  bool dividesFilters() const {
    return isOneOf({Strategy::kFilter, Strategy::kChannel, Strategy::kDataFilter});
  }
  bool dividesSpace() const { return isOneOf({Strategy::kSpatial, Strategy::kDataSpatial}); }
  bool dividesLayers() const { return isOneOf({Strategy::kLayer, Strategy::kPipeline}); }
  bool dividesModel() const { return dividesFilters() || dividesSpace() || dividesLayers(); }

  double share(std::initializer_list<Phase> phases) const {
    double sum = 0;
    for (const Phase phase : phases)
      sum += estimate_.time[phase];
    return estimate_.time.total() > 0 ? sum / estimate_.time.total() : 0;
  }
  void add(FindingKind kind, double share) { found_.push_back({kind, share}); }

  void communication() {
    const double exchange = share({Phase::kGradientExchange});
    if (exchange >= kNoticeable) add(FindingKind::kGradientExchange, exchange);
    const double data_parallel =
        gradientExchangeSeconds(question_, grid_.members(), totals(question_.network).weight_items);
    if (estimate_.time[Phase::kLayerCollectives] > data_parallel)
      add(FindingKind::kLayerCollectives, share({Phase::kLayerCollectives}));
  }

  void messages() {
    const double between =
        share({Phase::kHaloExchange, Phase::kSplitGather, Phase::kStageTransfer});
    if (between >= kNoticeable) add(FindingKind::kNeighbours, between);
    if (grid_.members() >= kCongested)
      found_.push_back({.kind = FindingKind::kCongestion, .members = kCongested});
    if (dividesModel() && grid_.members() > 1) add(FindingKind::kReading, 0);
  }

  /// Copies: of weights where samples or space are divided, of activations where filters are.
  void memory() {
    const double factor = 2 * question_.training.bytes_per_item * question_.choices.memory_reuse;
    const double weights = factor * totals(question_.network).weight_items;
    const bool copies_weights = dividesSpace() || strategy_ == Strategy::kData;
    const double copied = copies_weights ? weights
                          : dividesFilters()
                              ? estimate_.memory_bytes - weights / static_cast<double>(grid_.inner)
                              : 0;
    if (grid_.members() > 1 && copied > kRedundant * estimate_.memory_bytes)
      add(copies_weights ? FindingKind::kCopiedWeights : FindingKind::kCopiedActivations,
          copied / estimate_.memory_bytes);
    const auto limit = question_.machines.memory_bytes;
    if (limit && estimate_.memory_bytes <= *limit && estimate_.memory_bytes > kNearlyFull * *limit)
      add(FindingKind::kNearlyFull, estimate_.memory_bytes / *limit);
  }

  void computation() {
    const double update = share({Phase::kWeightUpdate});
    if (update >= kLongUpdate) add(FindingKind::kWeightUpdate, update);
    if (strategy_ == Strategy::kPipeline) balance();
    if (dividesFilters() && grid_.inner > 1) add(FindingKind::kFewFilters, 0);
  }

  void balance() {
    const auto stages = static_cast<double>(grid_.members());
    const auto segments = static_cast<double>(question_.choices.segments);
    const double slowest =
        estimate_.time[Phase::kForwardBackward] * segments /
        (static_cast<double>(question_.training.samples) * (stages + segments - 1));
    const double mean = totals(question_.network).forward_backward_seconds / stages;
    if (mean > 0 && slowest > kUnbalanced * mean) add(FindingKind::kSlowestStage, slowest / mean);
  }

  void scaling() {
    const MemberLimit limit = memberLimit(question_, strategy_);
    const double share = static_cast<double>(grid_.members()) / static_cast<double>(limit.most);
    if (grid_.members() > 1 && share >= kNearLimit)
      found_.push_back({.kind = FindingKind::kMemberLimit, .limit = limit});
  }

  const ParallelCase& question_;  // these outlive us
  const Strategy strategy_;
  const Grid grid_;
  const Estimate& estimate_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> findBottlenecks(const ParallelCase& question, Strategy strategy,
                                     const Grid& grid, const Estimate& estimate) {
  return Rules(question, strategy, grid, estimate).apply();
}

}  // namespace sumac::planner
