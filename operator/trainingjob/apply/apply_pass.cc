#include "operator/trainingjob/apply/apply_pass.h"

namespace sumac::trainingjob {

void ApplyPass::noteFailure(const std::string& what, const Refusal& failure) {
  if (failure.is_stopped) {
    result.has_failed = true;
    return;
  }
  parts.log.warn(
      "request failed",
      {{"job", job.meta.key.text()}, {"what", failure.what}, {"error", failure.message}});
  // The status of a finished job says nothing about its pods.
  const bool is_shown =
      !job.status.isFinished() && notes.noteFailure(what, failure, parts.clock.now());
  (is_shown ? result.was_refused : result.has_failed) = true;
}

}  // namespace sumac::trainingjob
