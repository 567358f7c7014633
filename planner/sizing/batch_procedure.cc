#include "planner/sizing/batch_procedure.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/core/check.h"
#include "base/core/checked.h"
#include "planner/checks/checks.h"

namespace sumac::planner {
namespace {

/// What the workspaces take at least; nothing if that is not a number of bytes (chooseAlgorithms()
/// says why).
std::optional<std::int64_t> smallestWorkspaces(const std::vector<ConvolutionAlgorithms>& all) {
  std::optional<std::int64_t> sum = 0;
  for (const ConvolutionAlgorithms& convolution : all) {
    const auto smallest =
        std::min_element(convolution.algorithms.begin(), convolution.algorithms.end(),
                         [](const AlgorithmCost& a, const AlgorithmCost& b) {
                           return a.workspace_bytes < b.workspace_bytes;
                         });
    if (smallest == convolution.algorithms.end()) return std::nullopt;
    sum = checkedAdd(*sum, smallest->workspace_bytes);
    if (!sum) return std::nullopt;
  }
  return sum;
}

}  // namespace

std::vector<std::int64_t> candidateBatches(std::int64_t largest) {
  SUMAC_CHECK(largest >= 1, largest);
  std::vector<std::int64_t> candidates;
  for (std::int64_t batch = 1; batch <= largest / 2; batch *= 2)
    candidates.push_back(batch);
  candidates.push_back(candidates.empty() ? 1 : 2 * candidates.back());
  return candidates;
}

Result<std::vector<BatchChoice>> solveBatches(const MemoryUse& use, std::int64_t device_bytes,
                                              const ConvolutionCosts& costs) {
  const auto largest = largestBatch(use, device_bytes);
  if (!largest) return largest.error();
  std::vector<BatchChoice> solved;
  for (const std::int64_t batch : candidateBatches(*largest)) {
    const std::string context = "mini-batch of " + std::to_string(batch);
    const auto convolutions = costs(batch);
    if (!convolutions) return convolutions.error().within(context);
    const auto bound = workspaceBound(use, device_bytes, batch);
    if (!bound) return bound.error();
    const auto smallest = smallestWorkspaces(*convolutions);
    // Only candidates after the first may fail to fit: then all are found that do.
    if (smallest && *smallest > *bound && !solved.empty()) break;
    auto choice = chooseAlgorithms(*convolutions, *bound);
    if (!choice) return choice.error().within(context);
    solved.push_back({batch, *bound, std::move(*choice)});
  }
  return solved;
}

Result<std::vector<BatchCandidate>> rankBatches(std::span<const BatchCandidate> candidates) {
  constexpr std::string_view kWhat = "mini-batch size";
  if (candidates.empty()) {
    return Error{ErrorCode::kInvalid, std::string(kWhat) + ": there is no candidate"};
  }
  for (const BatchCandidate& each : candidates) {
    if (auto checked =
            checkPositive(kWhat, {{"the mini-batch", static_cast<double>(each.batch), "samples"},
                                  {"the time of a step", each.seconds_per_step, "s"},
                                  {"the number of steps to the target", each.steps_to_target, ""},
                                  {"the time to the target", each.secondsToTarget(), "s"}});
        !checked) {
      return checked.error();
    }
  }
  std::vector<BatchCandidate> ranked(candidates.begin(), candidates.end());
  std::sort(ranked.begin(), ranked.end(), [](const BatchCandidate& a, const BatchCandidate& b) {
    return std::pair(a.secondsToTarget(), a.batch) < std::pair(b.secondsToTarget(), b.batch);
  });
  return ranked;
}

}  // namespace sumac::planner
