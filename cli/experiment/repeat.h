#pragma once

#include <cstdint>
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

/// "; 4 runs of an earlier start kept; 2 runs beyond the repetitions are kept and not used; raise
/// spec.repetitions to use them", of those that are there; empty where there are none.
std::string keptText(int used, int there);

/// What an experiment that was stopped says without a run that was measured.
std::string nothingMeasuredText(std::int64_t failed);

/// The last line where so many cells failed.
std::string failureText(std::int64_t failed);

}  // namespace sumac::cli
