#pragma once

#include <filesystem>
#include <string>

#include "cli/experiment/experiment.h"

namespace sumac::cli {

/// Where an experiment's results go.
std::filesystem::path folderOf(const ExperimentOptions& options,
                               const PreparedExperiment& prepared);

// That a command needs root is said in words: how to become it, by sudo or by unshare, depends on
// the machine, and some are it.

/// The end of a sentence, and the command that goes on with an experiment where it stopped:
/// ", as root:\n  sumac experiment links.yaml".
std::string howToGoOn(const ExperimentOptions& options, const PreparedExperiment& prepared);

/// The command that measures it again, from any folder: into one of its own, since nothing would be
/// left to measure.
std::string commandToRepeat(const ExperimentOptions& options, const PreparedExperiment& prepared);

}  // namespace sumac::cli
