#pragma once

#include <filesystem>
#include <optional>

#include "base/core/result.h"
#include "job/profile/job_profile.h"
#include "planner/advice/explanation.h"
#include "planner/advice/question.h"

namespace sumac::cli {

/// The noise scale that a run estimated.
struct ResultNoise {
  planner::NoiseFigure figure;
  std::optional<planner::Note> note;  // no job lies beside it; nothing: it was compared
};

/// Reads a run's result.json. Its network is compared with the job's, `subject`; where the run's
/// job.yaml lies beside it, as `sumac run` leaves it, also layers and optimizer. Fails with
/// kInvalid, naming the file, where it is no result, of another job, or has no noise scale, or one
/// that cannot be.
Result<ResultNoise> noiseOfResult(const std::filesystem::path& file, const ProfileSubject& subject);

}  // namespace sumac::cli
