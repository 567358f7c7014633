#pragma once

#include "cli/run/folder.h"
#include "common/base/result.h"
#include "common/job/job.h"

namespace sumac::cli {

/// Keeps a run's folder for this process, also against a second `sumac run` that would resume it.
/// Given back when it goes, and by the system when the process dies.
class FolderLock {
 public:
  /// Fails with kConflict when another process holds the folder.
  static Result<FolderLock> take(const RunFolder& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  explicit FolderLock(int fd) : fd_(fd) {}

  int fd_;
};

enum class Resumption {
  kGoOn,      // there is something left to do, or it cannot be told from here
  kComplete,  // the same job has its result already
};

/// Whether the run in `folder` can go on under `wanted`. Fails with kConflict and what differs when
/// its checkpoints would not fit; writes nothing.
Result<Resumption> checkResumption(const RunFolder& folder, const job::Reading& wanted);

}  // namespace sumac::cli
