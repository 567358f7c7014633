#include "operator/trainingjob/apply/apply_pass.h"

namespace sumac::trainingjob {

void ApplyPass::noteFailure(const std::string& what, const Refusal& failure) {
  const TimePoint now = parts.clock.now();
  parts.log.warn("request failed", {{"what", what}, {"error", failure.message}});
  const TimePoint since = memory.failing.try_emplace(what, now).first->second;
  // The status of a finished job says nothing about its pods.
  if (now - since < kPassingTrouble || job.status.isFinished()) {
    result.has_failed = true;
    return;
  }
  Hold& hold = memory.hold(what, now, kRefusedPause);
  hold.refusal = failure;
  hold.refusal->is_failure = true;
  result.was_refused = true;
}

}  // namespace sumac::trainingjob
