#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "base/core/exit_code.h"

#include "experiment/cells/cells.h"
#include "experiment/document/experiment.h"

namespace sumac::cli {

/// More cells are a mistake rather than a wish, until --max-cells says otherwise.
inline constexpr std::int64_t kMostCells = 200;

/// An experiment whose cells can all run.
struct PreparedExperiment {
  experiment::Experiment experiment;
  std::vector<experiment::Cell> cells;
};

/// What changes an experiment's document from outside.
struct PreparationOptions {
  std::vector<std::string> sets;  // of the base job
  std::int64_t most_cells = kMostCells;
  bool is_for_cluster = false;  // the jobs are encrypted by default, and read no files of ours
  std::vector<std::string> only = {};  // "AXIS=VALUE": of this axis no other values than named
};

/// Reads an Experiment and makes and checks the job of every cell. `file` is its path, or "-" for a
/// text from standard input: a jobPath is relative to its folder. Prints warnings and all problems
/// on `err`. Returns kUsage where an option names what the document does not have, else
/// kBadConfiguration where nothing can be made of it.
std::variant<PreparedExperiment, ExitCode> prepareExperiment(const std::string& text,
                                                             const std::string& file,
                                                             const PreparationOptions& options,
                                                             std::ostream& err);

/// `sumac validate` of an Experiment. Returns an ExitCode: kDone or kBadConfiguration.
int validateExperiment(const std::string& text, const std::string& file,
                       const PreparationOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sumac::cli
