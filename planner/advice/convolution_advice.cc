#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "planner/advice/advice_parts.h"
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
  return {};
}

}  // namespace sumac::planner
