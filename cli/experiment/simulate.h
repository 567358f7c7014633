#pragma once

#include "base/core/exit_code.h"
#include "cli/experiment/experiment.h"

namespace sumac::cli {

/// Plays the jobs of an experiment's cells on virtual time, and writes the same files as a measured
/// one. Needs neither rights nor data. Without a profile among the options it takes the one that
/// `sumac plan` keeps of each network, and measures it where there is none; that needs a process
/// with one thread and no children. Returns kFailed if a cell cannot be simulated; the others are
/// all the same.
ExitCode simulateExperiment(const ExperimentOptions& options, Streams streams);

}  // namespace sumac::cli
