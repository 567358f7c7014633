#pragma once

#include <vector>

#include "base/core/result.h"
#include "cli/plan/plan.h"
#include "job/document/job.h"
#include "job/profile/job_profile.h"
#include "planner/advice/explanation.h"
#include "planner/advice/question.h"

namespace sumac::cli {

/// The question, and what to know of the options it was made from.
struct AskedPlan {
  planner::AdviceQuestion question;
  std::vector<planner::Note> notes;
};

/// Puts the question of `options` together: reads the profiles, the machine types and the result,
/// and refuses what does not belong to this job, with one sentence. `here` is what a profile of
/// this machine would be of; only read with `--machine here`.
Result<AskedPlan> questionOf(const PlanOptions& options, const job::Reading& reading,
                             const ProfileMachine& here);

}  // namespace sumac::cli
