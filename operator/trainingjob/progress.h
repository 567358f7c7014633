#pragma once

#include "operator/trainingjob/draft.h"

namespace sumac::trainingjob {

/// Between two statuses that are written for progress alone: max(10 s, running jobs / (0.2 rate)),
/// so that progress takes at most a fifth of the operator's requests.
Duration progressInterval(int running_jobs, double rate);

/// Whether the newest progress is worth a status of its own: it moved by 1 % of all steps, and the
/// interval is over. Asks for a pass when it will be.
bool isProgressDue(Draft& draft);

/// Puts the newest progress into the status, if it is news.
void keepProgress(Draft& draft);

/// The progress of a job that is complete.
void finishProgress(Draft& draft, const api::TrainingResult& result);

}  // namespace sumac::trainingjob
