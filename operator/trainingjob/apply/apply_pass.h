#pragma once

#include <memory>
#include <set>
#include <stop_token>
#include <string>

#include "base/core/clock.h"
#include "base/log/log.h"
#include "kube/client/client.h"
#include "kube/client/events.h"
#include "operator/cache/cache.h"
#include "operator/trainingjob/apply/executor.h"
#include "operator/trainingjob/state/job_notes.h"

namespace sumac::trainingjob {

/// What applying a decision works with; all references outlive it.
struct ApplyParts {
  kube::Client& client;
  cache::JobCache& jobs;
  kube::EventSink& events;
  const Clock& clock;
  Executor& executor;
  Log log;
};

/// The result of applying a decision.
struct Applied {
  bool has_failed = false;   // a retry may succeed: after the key's back-off
  bool was_refused = false;  // a request was newly rejected: the notes have the cause
  bool is_outdated = false;  // the cluster is not as the decision assumed: the notes say how it is
  std::shared_ptr<const api::TrainingJob> written;  // the job with its new status
  std::shared_ptr<const api::TrainingJob> newest;   // the job as a look-up found it
};

/// Requests that get no answer must not add up to hours, in which the pass would be taken for a
/// thread that hangs.
inline constexpr Duration kLongestApply = std::chrono::minutes(5);

/// State of applying one decision, shared by its steps. Owned by the thread of the pass; the
/// threads of the executor only call mustNotSend() and read `parts`, `job` and `notes`.
struct ApplyPass {
  const ApplyParts& parts;
  const std::stop_token& stop;
  JobNotes& notes;
  const api::TrainingJob& job;
  const TimePoint begun;
  Applied result = {};
  std::set<std::string> wanted =
      {};  // what the decision asks for, named like holds, held back or not

  bool mustNotSend() const {
    return stop.stop_requested() || parts.clock.now() - begun >= kLongestApply;
  }
  /// Evaluates a request that failed and may succeed later. The key's back-off retries it; if it
  /// has failed for kPassingTrouble, it is held back like one that was rejected, and the status
  /// says why.
  void noteFailure(const std::string& what, const Refusal& failure);
  /// Whether the remaining steps are left to the next pass.
  bool isOver() const {
    return result.has_failed || result.was_refused || result.is_outdated || mustNotSend();
  }
};

}  // namespace sumac::trainingjob
