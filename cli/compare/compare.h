#pragma once

#include <filesystem>
#include <ostream>
#include <vector>

#include "base/core/exit_code.h"
#include "base/report/text.h"

namespace sumac::cli {

struct CompareOptions {
  std::vector<std::filesystem::path> runs;
  std::filesystem::path page;  // empty: none
  report::TextStyle style;     // of the output
};

/// `sumac compare`: what differs in runs and what came out, on `out`; with `page` also as a page
/// with their curves. Returns kBadConfiguration where a folder is no run, or the runs do not
/// compare, kResourceFailed where the page cannot be written.
ExitCode compareRuns(const CompareOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sumac::cli
