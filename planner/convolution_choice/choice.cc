#include "planner/convolution_choice/choice.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/core/checked.h"
#include "planner/convolution_choice/core_search.h"
#include "planner/convolution_choice/relaxation.h"

namespace sumac::planner {
namespace {

using internal::Options;

Error refuse(const std::string& reason) {
  return Error{ErrorCode::kInvalid, "choice of convolution algorithms: " + reason};
}

/// The options of one convolution. Fails on costs that cannot be.
Result<Options> optionsOf(const ConvolutionAlgorithms& convolution) {
  if (convolution.algorithms.empty()) {
    return refuse("convolution " + convolution.layer + " has no algorithm; give it at least one");
  }
  Options options;
  for (std::size_t i = 0; i < convolution.algorithms.size(); ++i) {
    const AlgorithmCost& cost = convolution.algorithms[i];
    const std::string where = "convolution " + convolution.layer + ", algorithm " + cost.name;
    if (!std::isfinite(cost.seconds) || cost.seconds < 0) {
      return refuse(where + ": found a time of " + std::to_string(cost.seconds) +
                    " s, must be a number >= 0");
    }
    if (cost.workspace_bytes < 0) {
      return refuse(where + ": found a workspace of " + std::to_string(cost.workspace_bytes) +
                    " bytes, must be >= 0");
    }
    options.push_back({i, cost.seconds, cost.workspace_bytes});
  }
  return internal::withoutDominated(std::move(options));
}

/// Whether the sums of the smallest and of the largest costs can be computed, and fit.
Result<void> checkSums(const std::vector<Options>& convolutions, std::int64_t bound_bytes) {
  std::int64_t smallest = 0;
  std::optional<std::int64_t> largest = 0;
  double slowest = 0;
  for (const Options& options : convolutions) {
    largest = checkedAdd(*largest, options.back().bytes);
    if (!largest) return refuse("the sum of the workspaces exceeds 2^63 bytes");
    smallest += options.front().bytes;
    slowest += options.front().seconds;
  }
  if (!std::isfinite(slowest)) return refuse("the sum of the times, in seconds, is not finite");
  if (smallest > bound_bytes) {
    return refuse("the smallest workspaces need " + std::to_string(smallest) +
                  " bytes together, but " + std::to_string(bound_bytes) +
                  " bytes are left for them; choose a smaller mini-batch or a larger memory");
  }
  return {};
}

}  // namespace

Result<Choice> chooseAlgorithms(std::span<const ConvolutionAlgorithms> convolutions,
                                std::int64_t bound_bytes, std::size_t max_states) {
  if (convolutions.empty()) return refuse("there is no convolution");
  std::vector<Options> options;
  options.reserve(convolutions.size());
  for (const ConvolutionAlgorithms& convolution : convolutions) {
    auto own = optionsOf(convolution);
    if (!own) return own.error();
    options.push_back(std::move(*own));
  }
  if (auto checked = checkSums(options, bound_bytes); !checked) return checked.error();
  const internal::Relaxation relaxation = internal::relax(options, bound_bytes);
  const internal::Found found = internal::searchCore(options, relaxation, bound_bytes, max_states);
  Choice choice;
  choice.is_optimal = found.is_optimal;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const internal::Option& option = options[i][found.options[i]];
    choice.algorithms.push_back(option.index);
    choice.seconds += option.seconds;
    choice.workspace_bytes += option.bytes;
  }
  // The search adds up differences: its sum may differ from ours in the last digits.
  choice.seconds_lower_bound =
      found.is_optimal ? choice.seconds : std::min(found.lower_bound, choice.seconds);
  return choice;
}

}  // namespace sumac::planner
