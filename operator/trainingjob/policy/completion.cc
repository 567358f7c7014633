#include "operator/trainingjob/policy/completion.h"

#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/status_progress.h"

namespace sumac::trainingjob {
namespace {

std::string sentenceOf(const api::TrainingResult& result) {
  std::string text = "training is complete after " + std::to_string(result.steps) + " steps";
  if (!result.loss.empty()) text += ", loss " + result.loss;
  if (!result.test_accuracy.empty()) text += ", test accuracy " + result.test_accuracy;
  if (!result.test_perplexity.empty()) text += ", test perplexity " + result.test_perplexity;
  return text;
}

}  // namespace

bool complete(Draft& draft) {
  for (const auto& [slot, pod] : draft.view.current()) {
    const auto result = resultOf(*pod);
    if (!result) continue;
    succeed(draft, *result, sentenceOf(*result));
    finishProgress(draft, *result);
    return true;
  }
  return false;
}

}  // namespace sumac::trainingjob
