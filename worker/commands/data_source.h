#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/core/result.h"
#include "job/document/training_job.h"

namespace sumac::worker {

/// Files that a command line names, without a job.
struct DataSource {
  std::string format = {};
  std::string path = {};
  std::string label = {};        // column of csv
  std::vector<int> resize = {};  // of folder: height and width, or none
  int channels = 0;              // of folder
};

/// The names of the formats that files can have.
std::vector<std::string> namesOfFormats();

/// Adds --label, --resize and --channels.
void addHowToRead(CLI::App& command, DataSource& source);

/// As in a job. Fails with kInvalid for options that are not of the format.
Result<job::DataSpec> dataSpecOf(const DataSource& source);

}  // namespace sumac::worker
