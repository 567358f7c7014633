#pragma once

#include <string>

#include "base/report/text.h"
#include "cli/run/folder.h"
#include "job/progress/job_result.h"

namespace sumac::cli {

/// The result of a run, a line each: what was learned first, then how, and where the files are.
std::string summary(const JobResult& result, const RunFolder& folder,
                    const std::string& members = {});

/// Where the workers' time went as a table: of the first ones, and the mean over all that the
/// result tells of; empty where it tells of none.
std::string timeTable(const JobResult& result, const report::TextStyle& style = {});

}  // namespace sumac::cli
