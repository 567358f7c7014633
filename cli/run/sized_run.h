#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/core/clock.h"
#include "base/core/wall_time.h"
#include "cli/run/autoscaler.h"

namespace sumac::cli {

/// How many workers a run in the folder `resume` begins with, empty: in a new one, if it has room
/// for `room`.
int sizedBeginning(const std::filesystem::path& resume, const job::TrainingJob& job, int room);

/// The autoscaler of a run that begins now, and goes on with what an earlier attempt in the folder
/// `resume` has left, where that was not killed.
class SizedRun {
 public:
  /// `other` outlives us.
  SizedRun(const std::filesystem::path& resume, const job::TrainingJob& job, int room,
           TimePoint now, JobObserver& other);

  Autoscaler& autoscaler() { return *autoscaler_; }
  /// What it goes on with, a line; empty for a first attempt.
  std::string beginText() const;
  SizingRecord record() const;

 private:
  bool is_resumed_;
  std::optional<SizingRecord> earlier_;
  WallTime started_;
  std::optional<Autoscaler> autoscaler_;
};

}  // namespace sumac::cli
