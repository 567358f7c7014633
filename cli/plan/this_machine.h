#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/core/result.h"
#include "cli/profile/profile.h"
#include "job/document/job.h"
#include "job/profile/job_profile.h"

namespace sumac::cli {

/// What `sumac plan` finds out on this machine, by its other programs; tests have their own. A job
/// is a resolved document.
struct ThisMachine {
  /// What a profile of a job would be of, here: nothing is measured. Fails as askWorker().
  std::function<Result<JobProfile>(const std::string& job)> look;

  /// Measures one, and shows what is being measured.
  std::function<Profiling(const job::Reading& reading, const ProfileOptions& options,
                          Streams streams)>
      measure;

  /// The training samples of a job's data, or words of text. Fails with the reason where they
  /// cannot be loaded.
  std::function<Result<std::int64_t>(const std::string& job)> count;
};

/// This machine by the programs of a folder. Requires a process with one thread and no children.
ThisMachine thisMachine(const std::filesystem::path& programs);

}  // namespace sumac::cli
