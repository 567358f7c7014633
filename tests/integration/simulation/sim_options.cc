#include "tests/integration/simulation/sim_options.h"

#include <algorithm>
#include <bit>
#include <cmath>

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

/// What a worker adds of its parts [first, last): the largest nodes of [begin, end), from left to
/// right.
void addNodes(const std::vector<float>& weights, Step step, const std::array<int, 2>& node,
              const std::array<int, 2>& block, std::vector<float>& sum) {
  const auto [begin, end] = node;
  if (end <= block[0] || block[1] <= begin) return;
  if (block[0] <= begin && end <= block[1]) {
    const std::vector<float> one = simSum(weights, step, begin, end);
    if (sum.empty()) {
      sum = one;
    } else {
      addTo(sum, one);
    }
    return;
  }
  int left = 1;
  while (2 * left < end - begin)
    left *= 2;
  addNodes(weights, step, {begin, begin + left}, block, sum);
  addNodes(weights, step, {begin + left, end}, block, sum);
}

}  // namespace

ExchangePlan simPlan(const SimOptions& options, int vocabulary) {
  std::vector<std::int64_t> tensors = options.tensors;
  if (vocabulary > 0) tensors.push_back(vocabulary);
  return makeExchangePlan(tensors, options.parts, {}, cuttingOf(options));
}

std::vector<float> simFirstWeights(std::int64_t parameters) {
  return std::vector<float>(static_cast<std::size_t>(parameters), 0.5F);
}

std::vector<float> simGradient(const std::vector<float>& weights, Step step, int part) {
  std::vector<float> gradient(weights.size() + 1);
  std::uint64_t state = mix(static_cast<std::uint64_t>(step) * 1000 + static_cast<unsigned>(part));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const auto bits = i < weights.size() ? std::bit_cast<std::uint32_t>(weights[i]) : 0U;
    state = mix(state + bits + 0x9E3779B97F4A7C15ULL);
    // Many magnitudes, so that every other order of summing gives other bits.
    const int exponent = static_cast<int>(state % 12) - 8;
    gradient[i] =
        std::ldexp(static_cast<float>((state >> 40U) & 0xFFFFFFU) - 8388608.0F, exponent - 23);
  }
  return gradient;
}

std::vector<float> simSum(const std::vector<float>& weights, Step step, int begin, int end) {
  if (end - begin == 1) return simGradient(weights, step, begin);
  int left = 1;
  while (2 * left < end - begin)
    left *= 2;
  std::vector<float> sum = simSum(weights, step, begin, begin + left);
  addTo(sum, simSum(weights, step, begin + left, end));
  return sum;
}

std::vector<float> simRingSum(const SimOptions& options, const std::vector<float>& weights,
                              Step step) {
  std::vector<std::vector<float>> own(static_cast<std::size_t>(options.workers));
  std::vector<int> indices;
  for (int i = 0; i < options.workers; ++i) {
    const std::array block{i * options.parts / options.workers,
                           (i + 1) * options.parts / options.workers};
    addNodes(weights, step, {0, options.parts}, block, own[indices.size()]);
    indices.push_back(i);
  }
  const ExchangePlan plan = simPlan(options, options.vocabulary);
  const std::vector<int> owners = share(Sharing::kRing, plan, indices, {}).owners();
  std::vector<float> sum(own[0].size());
  for (const Range& range : plan.ranges) {
    for (auto i = static_cast<std::size_t>(range.first);
         i < static_cast<std::size_t>(range.first + range.count); ++i) {
      for (std::size_t hop = 1; hop <= own.size(); ++hop) {
        const float value = own[(static_cast<std::size_t>(owners[range.id]) + hop) % own.size()][i];
        sum[i] = hop == 1 ? value : sum[i] + value;
      }
    }
  }
  return sum;
}

void simUpdate(const std::vector<float>& weights, std::span<const float> sum, std::size_t first,
               std::size_t end, std::vector<float>& next) {
  for (std::size_t i = first; i < std::min(end, weights.size()); ++i)
    next[i] = weights[i] - 0.01F * sum[i];
}

std::vector<float> simReference(const SimOptions& options, Step steps) {
  std::vector<float> weights = simFirstWeights(simPlan(options, options.vocabulary).parameters);
  for (Step step = 1; step <= steps; ++step)
    simUpdate(weights,
              options.sharing == Sharing::kRing ? simRingSum(options, weights, step)
                                                : simSum(weights, step, 0, options.parts),
              0, weights.size(), weights);
  return weights;
}

}  // namespace sumac
