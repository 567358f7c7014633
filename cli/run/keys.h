#pragma once

#include <filesystem>

#include "base/core/result.h"
#include "base/core/slot.h"
#include "job/document/training_job.h"

namespace sumac::cli {

/// The keys of one run, in a folder that only its owner can open; removed with this object. A
/// killed run leaves them behind; the next one replaces them.
class RunKeys {
 public:
  /// Makes keys for the members of a job, and up to so many workers; none for a job without
  /// encryption.
  static Result<RunKeys> make(std::filesystem::path folder, const job::TrainingJob& job,
                              int workers);
  ~RunKeys();
  RunKeys(RunKeys&& other) noexcept;
  RunKeys& operator=(RunKeys&&) = delete;
  RunKeys(const RunKeys&) = delete;
  RunKeys& operator=(const RunKeys&) = delete;

  /// The folder of a member's keys below `folder`.
  static std::filesystem::path folderOf(const std::filesystem::path& folder, Slot slot);

 private:
  explicit RunKeys(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;  // empty: nothing was made
};

}  // namespace sumac::cli
