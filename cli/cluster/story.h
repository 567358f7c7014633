#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/core/exit_code.h"
#include "base/core/wall_time.h"
#include "kube/api/training_job.h"

namespace sumac::cli {

/// The lines to print while a job is followed to its end. Pure: takes one state after the other.
class Story {
 public:
  /// `has_progress`: also prints progress, at each tenth.
  Story(bool has_progress, WallTime begun) : has_progress_(has_progress), begun_(begun) {}

  /// The lines for this state; none if nothing relevant has changed.
  std::vector<std::string> onState(const api::TrainingJob& job, WallTime now);

 private:
  const bool has_progress_;
  const WallTime begun_;
  std::string told_;  // state and reason
  std::optional<int> attempt_;
  int tenths_ = 0;
};

/// How `sumac submit --wait` ends for a finished job: kDone when it succeeded, kBadConfiguration
/// for a spec or document that cannot be run, else kFailed. Nothing while it is not finished.
std::optional<ExitCode> endOf(const api::JobStatus& status);

/// One line about the result of a job that succeeded.
std::string resultText(const JobResult& result);

}  // namespace sumac::cli
