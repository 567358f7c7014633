#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/core/units.h"
#include "planner/advice/advice_parts.h"
#include "planner/advice/texts.h"
#include "planner/network/from_model.h"

namespace sumac::planner {
namespace {

constexpr const char* kContext = "costs of convolutions";

Error invalid(const std::string& message) {
  return Error{ErrorCode::kInvalid, std::string(kContext) + ": " + message};
}

Result<void> checkLayersOf(const GivenCosts& costs, const model::Network& network) {
  std::set<std::string> missing;
  for (const Layer& layer : fromModel(network, "the job").layers)
    if (layer.kind == LayerKind::kConvolution) missing.insert(layer.name);
  for (const ConvolutionAlgorithms& convolution : costs.convolutions) {
    if (missing.erase(convolution.layer) == 0)
      return invalid("the network has no convolution " + convolution.layer +
                     "; are they of another one? sumac models show prints the names");
  }
  if (missing.empty()) return {};
  return invalid("those of " + *missing.begin() +
                 " are not given; each of the network's convolutions needs some");
}

std::string sumText(const GivenCosts& costs, const Choice& choice) {
  std::string text = "All take " + durationText(choice.seconds) + " and " +
                     memoryText(choice.workspace_bytes) + " of the " +
                     memoryText(costs.bound_bytes) + " that they may have";
  if (choice.is_optimal) return text + "; no other choice is faster.";
  return text + "; no choice takes less than " + durationText(choice.seconds_lower_bound) +
         ", and the search ended before it knew more.";
}

}  // namespace

Result<void> addConvolutions(const AdviceQuestion& question, Advice& advice) {
  if (!question.convolutions) return {};
  const GivenCosts& costs = *question.convolutions;
  if (auto checked = checkLayersOf(costs, question.network); !checked) return checked;
  const auto choice = chooseAlgorithms(costs.convolutions, costs.bound_bytes);
  if (!choice) return choice.error().within(kContext);
  ConvolutionAdvice& added = advice.convolutions.emplace();
  for (std::size_t i = 0; i < costs.convolutions.size(); ++i) {
    const ConvolutionAlgorithms& convolution = costs.convolutions[i];
    added.layers.push_back({convolution.layer, convolution.algorithms[choice->algorithms[i]]});
  }
  added.choice = *choice;
  added.bound_bytes = costs.bound_bytes;
  added.text = sumText(costs, *choice);
  return {};
}

}  // namespace sumac::planner
