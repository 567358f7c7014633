#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "base/core/descriptor.h"
#include "base/core/result.h"
#include "base/core/step.h"
#include "cli/run/folder.h"
#include "job/document/job.h"

namespace sumac::cli {

/// Locks a run's folder, so that no second `sumac run` resumes it at the same time. The lock is
/// held until the descriptor is closed, also by the end of the process. Fails with kConflict if
/// another process holds it.
Result<Descriptor> lockFolder(const RunFolder& folder);

/// Fails with kNotFound if `folder` is no longer the one that `lock` was taken of: it was deleted,
/// and what was written into it is lost.
Result<void> requireStillThere(const RunFolder& folder, const Descriptor& lock);

/// The step of the newest complete checkpoint of a run; nothing if there is none. Prints warnings
/// of damaged ones. Fails if the checkpoints cannot be read.
Result<std::optional<Step>> newestCheckpoint(const RunFolder& folder, std::ostream& err);

enum class Resumption {
  kResume,    // work is left, or the folder does not tell
  kComplete,  // the same job has ended already
};

/// Whether the run in `folder` can be resumed as `wanted`. Fails with kConflict and the difference
/// if its checkpoints do not fit; without a job.yaml, the members compare them. Writes nothing.
Result<Resumption> checkResumption(const RunFolder& folder, const job::Reading& wanted);

/// Whether a job can resume from the checkpoint of `step` with the kernels that it asks for. Fails
/// with kConflict if the run in `folder` was computed with others.
Result<void> checkResumedKernels(const RunFolder& folder, Step step, const job::TrainingJob& job);

/// The command that trains the run in `folder` again where it has no checkpoint.
std::string fromStartCommand(const RunFolder& folder);

/// Whether the run in `folder` can go on from `step`, its newest checkpoint, or, only if
/// `from_start` asks for it and there is none, from step 0. Fails with kConflict and what to do
/// instead.
Result<void> checkBeginning(const RunFolder& folder, std::optional<Step> step, bool from_start);

/// Says from where the run in `folder` goes on, and keeps what it wrote before out of the way of
/// what it writes now. Fails if files of the folder cannot be renamed.
Result<void> beginAgain(const RunFolder& folder, std::optional<Step> step, std::ostream& err);

}  // namespace sumac::cli
