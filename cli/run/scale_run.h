#pragma once

#include <filesystem>
#include <ostream>
#include <string>

#include "base/core/exit_code.h"

namespace sumac::cli {

/// Whether a word that is a job's name or a run's folder is the latter: it has a slash, or is a
/// folder with a run's job.yaml.
bool isRunFolder(const std::string& word);

/// `sumac scale RUN N`: asks the `sumac run` that trains in the folder to go on with so many
/// workers. Refuses what it could not do, by the field of the job that forbids it.
ExitCode scaleRun(const std::filesystem::path& folder, int workers, std::ostream& out,
                  std::ostream& err);

}  // namespace sumac::cli
