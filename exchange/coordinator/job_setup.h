#pragma once

#include <optional>
#include <string>

#include "exchange/coordinator/sum_plan.h"
#include "exchange/coordinator/wait_limits.h"
#include "exchange/membership/most_members.h"
#include "job/document/training_job.h"

namespace sumac {

/// What members that sum or coordinate know of a job. A value type, which needs no job document.
struct JobSetup {
  std::string name;
  std::string plan_text;  // the plan lines that all servers of the job share
  PlanOf plan_of;         // plans for the size that workers state
  std::optional<ExchangeMethod> method = ExchangeMethod::kServers;  // none: the coordinator chooses
  int workers = 1;                                                  // that the first roster has
  int servers = 1;
  std::optional<MostMembers> most = std::nullopt;  // where members may change; none: they do not
  WaitLimits limits = {};
};

/// That of a job document; `is_elastic`: all of its members were started so that they may change.
JobSetup setupOf(const job::TrainingJob& job, bool is_elastic);

}  // namespace sumac
