#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/job/training_job.h"
#include "server/session/session.h"

namespace sumac::server {

/// What a server derives from the job document.
struct ServerSetup {
  job::TrainingJob job;
  std::string plan_text;  // the plan lines that all servers of the job share
  PlanOf plan_of;         // plans for a vocabulary, which servers learn from workers
  WaitLimits limits = {};
};

/// Reads the resolved job document at `path`; `workers` replaces its number of workers. Fails with
/// all problems of the document, one per line.
Result<ServerSetup> readSetup(const std::string& path, std::optional<int> workers = {});

}  // namespace sumac::server
