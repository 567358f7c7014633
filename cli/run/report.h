#pragma once

#include <string>

#include "cli/run/folder.h"
#include "job/progress/job_result.h"

namespace sumac::cli {

/// The result of a run as tables.
std::string resultTable(const std::string& name, const JobResult& result);

/// Where the workers' time went as a table: of the first ones, and the mean over all that the
/// result tells of; empty where it tells of none.
std::string timeTable(const JobResult& result);

/// A table of the run's existing files and their purposes.
std::string fileTable(const RunFolder& folder);

}  // namespace sumac::cli
