#include "tests/integration/simulation/sim_options.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "tests/support/plain_codecs.h"

namespace sumac {
namespace {

std::uint64_t mix(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

Cutting cuttingOf(const SimOptions& options) {
  if (options.cutting) return *options.cutting;
  if (options.largest_range == 0)
    return {.pieces = 8, .smallest = 64, .run_pieces = 6, .smallest_run = 64};
  constexpr std::int64_t kMany = 1'000'000;
  return {.pieces = 1,
          .smallest = 1,
          .largest = options.largest_range,
          .run_pieces = kMany,
          .smallest_run = std::max<std::int64_t>(options.longest_run, 1)};
}

void addTo(std::vector<float>& sum, const std::vector<float>& right) {
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] = sum[i] + right[i];
}

/// What is left of values that were sent: all but the loss, the last, is rounded.
std::vector<float> sent(const SimOptions& options, std::vector<float> values) {
  if (options.codec == Codec::kFp32) return values;
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    values[i] = roundedPlainly(options.codec, values[i]);
  return values;
}

int leftSize(int begin, int end) {
  int left = 1;
  while (2 * left < end - begin)
    left *= 2;
  return left;
}

/// One step's sum, as the members of a job make it from what they send each other.
class Summing {
 public:
  Summing(const SimOptions& options, const std::vector<float>& weights, Step step)
      : options_(options), weights_(weights), step_(step) {}

  /// In each stage but the first, groups of so many neighbours add what those of the stage before
  /// have sent.
  std::vector<float> inStages(const std::vector<int>& sizes, int owner) const {
    return sent(options_, addedIn(sizes.size() - 1, 0, options_.parts, {sizes, owner}));
  }
  /// The same by halving: of each range the owner is another.
  std::vector<float> byHalving() const;
  /// Each range in the order of the workers, beginning after its owner.
  std::vector<float> inRing() const;

 private:
  struct Stages {
    std::vector<int> sizes;
    int owner;
  };

  /// Whether one group of so many workers has all these parts.
  bool isOfOne(int size, int begin, int end) const {
    int worker = 0;
    while (firstPart(worker + size) <= begin)
      worker += size;
    return end <= firstPart(worker + size);
  }
  int firstPart(int worker) const {
    return std::min(worker, options_.workers) * options_.parts / options_.workers;
  }
  std::vector<int> owners(ExchangeMethod method) const {
    std::vector<int> indices(static_cast<std::size_t>(options_.workers));
    std::iota(indices.begin(), indices.end(), 0);
    return ShardMap::shareOut(method, simPlan(options_, options_.size), indices).owners();
  }
  std::vector<float> sentIn(std::size_t stage, int begin, int end, const Stages& stages) const;
  std::vector<float> addedIn(std::size_t stage, int begin, int end, const Stages& stages) const;
  void addOwn(int worker, int begin, int end, std::vector<float>& sum) const;

  const SimOptions& options_;  // outlives us
  const std::vector<float>& weights_;
  Step step_;
};

/// A node of the tree, as a group has it after that stage: of two groups next to each other that
/// which lies as the owner's does in its pair is where the other sends to.
std::vector<float> Summing::sentIn(std::size_t stage, int begin, int end,
                                   const Stages& stages) const {
  if (stage == 0) return sent(options_, simSum(options_, weights_, step_, begin, end));
  const int size = stages.sizes[stage];
  int worker = 0;
  while (firstPart(worker + size) <= begin)
    worker += size;
  std::vector<float> sum = addedIn(stage, begin, end, stages);
  const bool goes_on = worker / size % 2 != stages.owner / size % 2;
  return goes_on ? sent(options_, std::move(sum)) : sum;
}

/// The same before it is sent.
std::vector<float> Summing::addedIn(std::size_t stage, int begin, int end,
                                    const Stages& stages) const {
  if (isOfOne(stages.sizes[stage - 1], begin, end)) return sentIn(stage - 1, begin, end, stages);
  const int middle = begin + leftSize(begin, end);
  std::vector<float> sum = addedIn(stage, begin, middle, stages);
  addTo(sum, addedIn(stage, middle, end, stages));
  return sum;
}

std::vector<float> Summing::byHalving() const {
  std::vector<int> sizes{1};
  for (int size = 2; size < options_.workers; size *= 2)
    sizes.push_back(size);
  sizes.push_back(options_.workers);
  if (options_.codec == Codec::kFp32) return inStages(sizes, /*owner=*/0);
  std::vector<std::vector<float>> sums;
  for (int owner = 0; owner < options_.workers; ++owner)
    sums.push_back(inStages(sizes, owner));
  std::vector<float> sum = sums[0];
  const ExchangePlan plan = simPlan(options_, options_.size);
  const std::vector<int> all = owners(ExchangeMethod::kHalvingDoubling);
  for (const Range& range : plan.ranges) {
    const std::vector<float>& from = sums[static_cast<std::size_t>(all[range.id])];
    std::copy_n(from.begin() + range.first, range.count, sum.begin() + range.first);
  }
  return sum;
}

/// What a worker adds of its parts: the largest nodes of [begin, end), from left to right.
void Summing::addOwn(int worker, int begin, int end, std::vector<float>& sum) const {
  const int first = firstPart(worker);
  const int last = firstPart(worker + 1);
  if (end <= first || last <= begin) return;
  if (first <= begin && end <= last) {
    const auto one = sent(options_, simSum(options_, weights_, step_, begin, end));
    if (sum.empty()) {
      sum = one;
    } else {
      addTo(sum, one);
    }
    return;
  }
  const int middle = begin + leftSize(begin, end);
  addOwn(worker, begin, middle, sum);
  addOwn(worker, middle, end, sum);
}

std::vector<float> Summing::inRing() const {
  const auto workers = static_cast<std::size_t>(options_.workers);
  std::vector<std::vector<float>> own(workers);
  for (int i = 0; i < options_.workers; ++i)
    addOwn(i, 0, options_.parts, own[static_cast<std::size_t>(i)]);
  const ExchangePlan plan = simPlan(options_, options_.size);
  const std::vector<int> all = owners(ExchangeMethod::kRing);
  std::vector<float> sum(own[0].size());
  for (std::size_t hop = 1; hop <= workers; ++hop) {
    for (const Range& range : plan.ranges) {
      for (auto i = static_cast<std::size_t>(range.first);
           i < static_cast<std::size_t>(range.first + range.count); ++i) {
        const float value = own[(static_cast<std::size_t>(all[range.id]) + hop) % workers][i];
        sum[i] = hop == 1 ? value : sum[i] + value;
      }
    }
    sum = sent(options_, std::move(sum));
  }
  return sum;
}

std::vector<float> sumOf(const SimOptions& options, const std::vector<float>& weights, Step step) {
  const Summing summing(options, weights, step);
  if (options.method == ExchangeMethod::kRing) return summing.inRing();
  if (options.method == ExchangeMethod::kHalvingDoubling) return summing.byHalving();
  return summing.inStages({1, options.workers}, /*owner=*/0);
}

/// Of most rows of the first tensor nothing occurs in a part.
bool isInRareRow(const SimOptions& options, std::size_t value, Step step, int part) {
  constexpr std::size_t kRow = 20;
  if (value >= static_cast<std::size_t>(options.tensors.front())) return false;
  return mix(value / kRow * 7919 + static_cast<std::size_t>(step) * 31 +
             static_cast<std::size_t>(part)) %
             8 !=
         0;
}

}  // namespace

ExchangePlan simPlan(const SimOptions& options, std::int64_t size) {
  std::vector<std::int64_t> tensors = options.tensors;
  if (size > 0) tensors.push_back(size);
  ExchangePlan plan = makeExchangePlan(tensors, options.parts, {}, cuttingOf(options));
  plan.codec = options.codec;
  if (options.has_rare_rows) plan.embedding = options.tensors.front();
  return plan;
}

std::vector<float> simFirstWeights(std::int64_t parameters) {
  return std::vector<float>(static_cast<std::size_t>(parameters), 0.5F);
}

std::vector<float> simGradient(const SimOptions& options, const std::vector<float>& weights,
                               Step step, int part) {
  std::vector<float> gradient(weights.size() + 1);
  std::uint64_t state = mix(static_cast<std::uint64_t>(step) * 1000 + static_cast<unsigned>(part));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const auto bits = i < weights.size() ? std::bit_cast<std::uint32_t>(weights[i]) : 0U;
    state = mix(state + bits + 0x9E3779B97F4A7C15ULL);
    // Many magnitudes, so that every other order of summing gives other bits.
    constexpr std::array kMagnitudes{0x1p-31F, 0x1p-30F, 0x1p-29F, 0x1p-28F, 0x1p-27F, 0x1p-26F,
                                     0x1p-25F, 0x1p-24F, 0x1p-23F, 0x1p-22F, 0x1p-21F, 0x1p-20F};
    gradient[i] = (static_cast<float>((state >> 40U) & 0xFFFFFFU) - 8388608.0F) *
                  kMagnitudes[state % kMagnitudes.size()];
    if (options.has_rare_rows && isInRareRow(options, i, step, part)) gradient[i] = 0;
  }
  return gradient;
}

std::vector<float> simSum(const SimOptions& options, const std::vector<float>& weights, Step step,
                          int begin, int end) {
  if (end - begin == 1) return simGradient(options, weights, step, begin);
  const int middle = begin + leftSize(begin, end);
  std::vector<float> sum = simSum(options, weights, step, begin, middle);
  addTo(sum, simSum(options, weights, step, middle, end));
  return sum;
}

SimState simFirstState(std::int64_t parameters) {
  return {simFirstWeights(parameters), std::vector<float>(static_cast<std::size_t>(parameters))};
}

void simUpdate(const SimState& state, std::span<const float> sum, std::size_t first,
               std::size_t end, const std::string& kernels, SimState& next) {
  const float momentum = kernels == kSimKernels ? 0.5F : 0.25F;
  for (std::size_t i = first; i < std::min(end, state.weights.size()); ++i) {
    next.velocity[i] = momentum * state.velocity[i] + sum[i];
    next.weights[i] = state.weights[i] - 0.01F * next.velocity[i];
  }
}

SimState simNext(const SimOptions& options, const SimState& before, Step step,
                 const std::string& kernels) {
  SimState next = before;
  simUpdate(before, sumOf(options, before.weights, step), 0, before.weights.size(), kernels, next);
  return next;
}

std::vector<float> simReference(const SimOptions& options, Step steps) {
  SimState state = simFirstState(simPlan(options, options.size).parameters);
  for (Step step = 1; step <= steps; ++step)
    state = simNext(options, state, step, kSimKernels);
  return state.weights;
}

}  // namespace sumac
