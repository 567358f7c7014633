#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/core/result.h"

namespace sumac::cli {

/// What a worker needs, without its data set.
struct WorkerMemory {
  std::uint64_t bytes = 0;
  std::int64_t samples = 0;  // of the largest batch that it computes at once
  std::string kernels;
  /// Where a limit was given: the numbers of workers with which one needs more, and how much.
  std::map<int, std::uint64_t> beyond = {};
};

/// Runs `sumac-worker memory` with these arguments and this standard input.
using AskMemory =
    std::function<Result<WorkerMemory>(std::vector<std::string> arguments, std::string input)>;

/// Runs `sumac-worker memory` in the folder `programs` and waits for it. Fails with kNotFound where
/// the program is missing, else with its error message.
Result<WorkerMemory> askWorkerMemory(const std::filesystem::path& programs,
                                     std::vector<std::string> arguments, const std::string& input);

/// askWorkerMemory() in that folder.
AskMemory askMemoryOf(const std::filesystem::path& programs);

/// "Memory of a worker: about 62.3 MiB and its data (64 samples at once, avx512 kernels)".
std::string memoryLine(const WorkerMemory& memory);

/// Main memory and swap space of this machine, in bytes; 0 if it cannot be asked.
std::uint64_t machineMemory();

}  // namespace sumac::cli
