#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>

#include "base/core/exit_code.h"
#include "base/core/result.h"
#include "job/document/training_job.h"

namespace sumac::worker {

/// The packed file in the cache that stands for data which memory is not to hold, made if it must
/// be, with its progress on `err`; empty for all other data. Fails as packIntoCache() does.
Result<std::filesystem::path> packedInCache(const job::DataSpec& data, std::ostream& err);

/// `sumac-worker cache`, for `sumac run`: reads the TrainingJob on `in` and prints the path of what
/// packedInCache() gives for its data: nothing where they are loaded as they are. Called once, by
/// main.
ExitCode cacheCommand(int argc, char** argv, std::istream& in, std::ostream& out,
                      std::ostream& err);

}  // namespace sumac::worker
