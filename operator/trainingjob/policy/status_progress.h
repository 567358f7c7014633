#pragma once

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// Minimum time between two statuses that are written only for progress: max(10 s, running jobs /
/// (0.2 rate)), so that these take at most a fifth of the operator's requests.
Duration progressInterval(int running_jobs, double rate);

/// Whether to write a status for the newest progress alone: it moved by 1 % of all steps, and the
/// interval is over. If only the interval is not over, requests a pass for then.
bool isProgressDue(Draft& draft);

/// Puts the newest progress into the status, if it has changed. Warns where it says for the first
/// time that checkpoints are skipped.
void keepProgress(Draft& draft);

/// Says that checkpoints are skipped, and which is the newest; empty: they are not.
std::string skippedText(const Progress& progress);

/// Sets the progress of a job that has succeeded.
void finishProgress(Draft& draft, const JobResult& result);

}  // namespace sumac::trainingjob
