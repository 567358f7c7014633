#include "operator/trainingjob/policy/completion.h"

#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/status_progress.h"

namespace sumac::trainingjob {
namespace {

std::string sentenceOf(const JobResult& result) {
  std::string text = "training is complete after " + std::to_string(result.steps) + " steps";
  if (result.loss) text += ", loss " + decimalText(result.loss);
  if (result.test_accuracy) text += ", test accuracy " + decimalText(result.test_accuracy);
  if (result.test_perplexity) {
    text += ", test perplexity " + decimalText(result.test_perplexity);
  }
  return text;
}

}  // namespace

bool complete(Draft& draft) {
  for (const auto& [slot, pod] : draft.view.current()) {
    auto result = resultOf(*pod);
    if (!result) continue;
    // What the worker wrote is gone with its pod where no volume outlives that.
    if (draft.observed.record && !draft.observed.record->keeps_output) result->model_path.clear();
    succeed(draft, *result, sentenceOf(*result));
    finishProgress(draft, *result);
    return true;
  }
  return false;
}

}  // namespace sumac::trainingjob
