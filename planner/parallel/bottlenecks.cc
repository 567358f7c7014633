#include "planner/parallel/bottlenecks.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/core/units.h"
#include "planner/parallel/data_parallel.h"
#include "planner/parallel/limits.h"

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
  void limitation(Category category, std::string text) {
    found_.push_back({category, Origin::kLimitation, true, std::move(text)});
  }
  void bottleneck(Category category, bool is_in_estimate, std::string text) {
    found_.push_back({category, Origin::kBottleneck, is_in_estimate, std::move(text)});
  }

  void communication() {
    const double exchange = share({Phase::kGradientExchange});
    if (exchange >= kNoticeable)
      limitation(Category::kCommunication,
                 "the gradient exchange takes " + percentText(exchange) + " of an epoch");
    const double collectives = estimate_.time[Phase::kLayerCollectives];
    const NetworkTotals network = totals(question_.network);
    if (collectives <= gradientExchangeSeconds(question_, grid_.members(), network.weight_items))
      return;
    limitation(Category::kCommunication,
               "the collectives of each layer take " +
                   percentText(share({Phase::kLayerCollectives})) +
                   " of an epoch, longer than the gradient exchange of data parallelism would");
  }

  void messages() {
    const double between =
        share({Phase::kHaloExchange, Phase::kSplitGather, Phase::kStageTransfer});
    if (between >= kNoticeable)
      bottleneck(Category::kCommunication, true,
                 "messages between neighbours take " + percentText(between) + " of an epoch");
    if (grid_.members() >= kCongested)
      bottleneck(Category::kCommunication, false,
                 "from " + std::to_string(kCongested) +
                     " members on, congestion made single exchanges up to 4 times as long");
    if (dividesModel() && grid_.members() > 1)
      bottleneck(Category::kCommunication, false,
                 "reading and spreading samples from one leader is not counted; with CosmoFlow it "
                 "took 4 times as long as the rest");
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
      bottleneck(Category::kMemory, true,
                 percentText(copied / estimate_.memory_bytes) +
                     " of a member's memory holds copies of " +
                     (copies_weights ? "weights" : "activations") + " that others have too");
    const auto limit = question_.machines.memory_bytes;
    if (limit && estimate_.memory_bytes <= *limit && estimate_.memory_bytes > kNearlyFull * *limit)
      bottleneck(Category::kMemory, false,
                 "it needs " + percentText(estimate_.memory_bytes / *limit) +
                     " of the memory; fragmentation can make that too much");
  }

  void computation() {
    const double update = share({Phase::kWeightUpdate});
    if (update >= kLongUpdate)
      limitation(Category::kComputation,
                 "the weight update takes " + percentText(update) + " of an epoch");
    const NetworkTotals network = totals(question_.network);
    if (strategy_ == Strategy::kPipeline) balance(network);
    if (dividesFilters() && grid_.inner > 1)
      bottleneck(
          Category::kComputation, false,
          "with fewer filters a convolution takes hardly less time; the estimate divides it");
  }

  void balance(const NetworkTotals& network) {
    const auto stages = static_cast<double>(grid_.members());
    const auto segments = static_cast<double>(question_.choices.segments);
    const double slowest =
        estimate_.time[Phase::kForwardBackward] * segments /
        (static_cast<double>(question_.training.samples) * (stages + segments - 1));
    const double mean = network.forward_backward_seconds / stages;
    if (mean <= 0 || slowest <= kUnbalanced * mean) return;
    limitation(Category::kComputation, "the slowest stage takes " + percentText(slowest / mean) +
                                           " of the mean stage's time, and all wait for it");
  }

  void scaling() {
    const MemberLimit limit = memberLimit(question_, strategy_);
    const double share = static_cast<double>(grid_.members()) / static_cast<double>(limit.most);
    if (grid_.members() > 1 && share >= kNearLimit)
      limitation(Category::kScaling,
                 "it can use at most " + counted(limit.most, "member") + ": " + limit.reason);
  }

  const ParallelCase& question_;  // these outlive us
  const Strategy strategy_;
  const Grid grid_;
  const Estimate& estimate_;
  std::vector<Finding> found_;
};

}  // namespace

std::string_view toString(Category category) {
  switch (category) {
    case Category::kCommunication: return "communication";
    case Category::kMemory: return "memory";
    case Category::kComputation: return "computation";
    case Category::kScaling: return "scaling";
  }
  return "unknown";
}

std::vector<Finding> findBottlenecks(const ParallelCase& question, Strategy strategy,
                                     const Grid& grid, const Estimate& estimate) {
  return Rules(question, strategy, grid, estimate).apply();
}

}  // namespace sumac::planner
