#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sumac::cli {

/// What can be completed at the cursor.
struct Completion {
  std::vector<std::string> words;
  bool has_files = false;  // so can names of files

  /// The protocol of kubectl's plugins: a word a line, then ":0" where names of files may follow,
  /// ":4" where they may not.
  std::string text() const;
};

/// Options given so far, by their long name without dashes; flags have "".
using GivenOptions = std::map<std::string, std::string>;

/// Lists the names of jobs; must be quick, and returns none on failure.
using ListJobs = std::function<std::vector<std::string>(const GivenOptions&)>;

/// Completes the last of `words`, which is being typed and may be empty; those before it are the
/// command line after the program's name. Subcommands and options come from `app`. Arguments named
/// JOB are completed by `list_jobs`, JOB|RUN by names of files too, FILE and DIR by names of files,
/// options with a choice by that.
Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const ListJobs& list_jobs);

}  // namespace sumac::cli
