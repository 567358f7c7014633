#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "job/document/job.h"

#include "experiment/document/experiment.h"

namespace sumac::experiment {

/// The outcome of reading a document: the experiment, or all its problems.
struct Reading {
  std::optional<Experiment> experiment;  // present exactly when `problems` is empty
  std::vector<job::Problem> problems;
};

/// A file that the document names.
struct NamedFile {
  std::string name;  // for the messages
  std::string text;
};

/// Reads the file at a jobPath.
using LoadJob = std::function<Result<NamedFile>(const std::string& path)>;

/// Reads and checks `text` as an Experiment, as far as that is possible without its cells' jobs
/// (experiment/cells); `file` is for the messages.
Reading readExperiment(std::string_view text, std::string_view file, const LoadJob& load_job);

}  // namespace sumac::experiment
