#pragma once

#include "cli/run/folder.h"
#include "common/base/result.h"
#include "common/job/job.h"

namespace sumac::cli {

/// Locks a run's folder, so that no second `sumac run` resumes it meanwhile. Unlocked on
/// destruction, and by the system when the process dies.
class FolderLock {
 public:
  /// Fails with kConflict when another process has the lock.
  static Result<FolderLock> take(const RunFolder& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  explicit FolderLock(int fd) : fd_(fd) {}

  int fd_;
};

enum class Resumption {
  kResume,    // work is left, or that cannot be known from here
  kComplete,  // the same job is complete already
};

/// Whether the run in `folder` can be resumed as `wanted`. Fails with kConflict and the difference
/// when its checkpoints would not fit. Writes nothing.
Result<Resumption> checkResumption(const RunFolder& folder, const job::Reading& wanted);

}  // namespace sumac::cli
