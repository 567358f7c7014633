#pragma once

#include <filesystem>
#include <variant>
#include <vector>

#include "base/core/exit_code.h"
#include "cli/experiment/experiment.h"

namespace sumac::cli {

/// The files of the profiles that `sumac plan` keeps of the cells' jobs on this machine, one for
/// each network; measures those that are not there, with progress on the error stream. Where
/// that fails, says why and returns the exit code. Requires a process with one thread and no
/// children.
std::variant<std::vector<std::filesystem::path>, ExitCode> keptProfiles(
    const ExperimentOptions& options, const PreparedExperiment& prepared, Streams streams);

}  // namespace sumac::cli
