#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
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

/// Counts the samples of a job, a resolved document, or words of text.
using CountSamples = std::function<Result<std::int64_t>(const std::string& job)>;

/// Puts the question of `options` together, all but its profile: reads the machine types and the
/// result, and refuses what does not belong to this job, with one sentence. `count` is called where
/// the data are here and only they say how many samples there are.
Result<AskedPlan> questionOf(const PlanOptions& options, const job::Reading& reading,
                             const CountSamples& count);

/// Adds the profiles of `files`, and refuses those of another job. `here` is what a profile of this
/// machine would be of; only compared with `--machine here`.
Result<void> addProfiles(const std::vector<std::filesystem::path>& files,
                         const ProfileMachine& here, AskedPlan& asked);

}  // namespace sumac::cli
