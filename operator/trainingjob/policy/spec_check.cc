#include "operator/trainingjob/policy/spec_check.h"

#include "kube/api/reasons.h"

namespace sumac::trainingjob {
namespace {

bool hasBegun(const Draft& draft) {
  return draft.observed.record || draft.before.attempt > 0 || draft.before.isTrue("Running") ||
         !draft.view.all().empty();
}

}  // namespace

bool endsJob(const Draft& draft) {
  const auto& problem = draft.observed.problem;
  if (!problem || hasBegun(draft) || problem->kind == SpecProblemKind::kNewer) return false;
  const bool is_new = draft.before.conditions.empty();
  return is_new || problem->kind == SpecProblemKind::kInvalid;
}

std::optional<Obstacle> specObstacle(const Draft& draft) {
  const auto& problem = draft.observed.problem;
  if (!problem) return std::nullopt;
  switch (problem->kind) {
    case SpecProblemKind::kInvalid: break;
    case SpecProblemKind::kNewer:
      return Obstacle{api::reasons::kNewerDocument,
                      "the job has what this operator does not know: upgrade the operator, or "
                      "delete the job and apply it without\n" +
                          problem->message};
    case SpecProblemKind::kTemplate:
      return Obstacle{api::reasons::kInvalidTemplate,
                      problem->message + ": suspend the job, correct the template, and resume it"};
  }
  return Obstacle{api::reasons::kInvalidSpec, problem->message};
}

}  // namespace sumac::trainingjob
