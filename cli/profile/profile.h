#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "base/core/clock.h"
#include "base/core/exit_code.h"
#include "base/core/result.h"
#include "base/report/text.h"
#include "cli/run/run.h"
#include "job/document/job.h"
#include "job/profile/job_profile.h"

namespace sumac::cli {

/// The options of `sumac profile`.
struct ProfileOptions {
  std::string file;  // "-": standard input
  std::vector<std::string> sets;
  std::filesystem::path output;           // the profile as JSON; empty: only the table
  std::vector<std::int64_t> batch_sizes;  // of one worker; empty: its share, half and twice that
  std::vector<int> threads;               // empty: those that the job's workers would have
  report::TextStyle style{};              // of where the answer is shown
  std::filesystem::path programs;         // folder of sumac-server and sumac-worker
  bool measures_exchanges = true;
};

/// Measures what a job's steps cost on this machine: computing, by batch size and layer, and
/// exchanging, by size. Prints tables, and what is being measured on the error stream. Requires a
/// process with one thread and no children.
ExitCode profileJob(const ProfileOptions& options, const Clock& clock, Streams streams);

/// A profile, or how measuring it ended: then the error stream has said why.
using Profiling = std::variant<JobProfile, ExitCode>;

/// The measuring of profileJob(), of a job that was read.
Profiling measureProfile(const job::Reading& reading, const ProfileOptions& options,
                         const Clock& clock, Streams streams);

/// What a profile of this job would be of, were it measured here and now: nothing is measured.
/// Fails as askWorker(). `job` is a resolved document.
Result<JobProfile> profileHere(const std::filesystem::path& programs, const std::string& job);

}  // namespace sumac::cli
