#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/job/training_job.h"
#include "server/session/session.h"

namespace sumac::server {

/// What a server makes of the job document.
struct Setup {
  job::TrainingJob job;
  std::string plan_text;  // the lines that all servers of the job must share
  PlanOf plan_of;         // what depends on the data, which servers do not read
};

/// Reads the resolved job document at `path`, with so many workers where that is given. Fails with
/// all of its problems, one a line.
Result<Setup> readSetup(const std::string& path, std::optional<int> workers = {});

}  // namespace sumac::server
