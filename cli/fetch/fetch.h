#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "base/core/exit_code.h"
#include "cli/fetch/data_sets.h"
#include "cli/fetch/download.h"

namespace sumac::cli {

/// What `sumac data fetch` was asked.
struct FetchOptions {
  std::filesystem::path folder;  // for the files; empty: data/<name>
  std::string mirror;            // where the files are, in place of the publisher's address
  bool is_live = false;          // a terminal: progress is one line that is redrawn
  Pause pause = {};              // before a transfer is tried again; empty: really waits
};

/// Why this value of --output-dir or --mirror cannot be used; empty: it can.
std::string emptyValueError(const std::string& value);

/// Brings the files of `set` into the folder, checks them, and says on `out` how a job uses them.
/// Files that are there and right are left alone.
ExitCode fetch(const RemoteDataSet& set, const FetchOptions& options, std::ostream& out,
               std::ostream& err);

}  // namespace sumac::cli
