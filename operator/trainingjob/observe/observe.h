#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "kube/client/client.h"
#include "operator/cache/cache.h"
#include "operator/trainingjob/progress/progress_source.h"
#include "operator/trainingjob/state/job_notes.h"
#include "operator/trainingjob/state/observed.h"

namespace sumac::trainingjob {

/// Where observations come from; all references outlive it.
struct ObserveParts {
  kube::Client& client;
  cache::PodCache& pods;
  cache::QuotaCache& quotas;
  const Clock& clock;
  ProgressSource& progress;
  std::function<int()> running_jobs;
  Defaults defaults;
  double status_rate = 50;  // requests per second that the operator may send
  std::string operator_version;
};

/// Makes sure that the notes have the job's record, or why there is none: of a new job, from its
/// spec; of a job that an earlier operator began, from its ConfigMap, by one GET. A record that
/// stands in the ConfigMap is never made again: of a new spec only the templates are checked then.
/// Fails if the GET fails or its answer cannot be used. When it has failed for kPassingTrouble, it
/// is held back; until the hold ends the notes have no record, and the hold says why.
Result<void> loadRecord(const ObserveParts& parts, const api::TrainingJob& job, JobNotes& notes);

/// Collects everything that one decision depends on, from the caches, the notes and the progress
/// source. Sends no request.
Observed observe(const ObserveParts& parts, std::shared_ptr<const api::TrainingJob> job,
                 JobNotes& notes);

}  // namespace sumac::trainingjob
