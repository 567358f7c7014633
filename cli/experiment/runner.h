#pragma once

#include <optional>
#include <string>

#include "base/core/exit_code.h"
#include "base/report/text.h"
#include "cli/experiment/cell_runner.h"
#include "cli/experiment/folder.h"
#include "cli/experiment/predictions.h"
#include "cli/experiment/prepared_experiment.h"
#include "cli/experiment/sizing_study.h"
#include "cli/run/run.h"

#include "experiment/findings/findings.h"
#include "experiment/measure/schedule.h"

namespace sumac::cli {

/// What an experiment's results say beside what was measured.
struct RunnerOptions {
  experiment::Origin origin;
  Predictions predictions;                 // of the cells, or none
  std::string how_to_go_on;                // where it stops before its end: words and the command
  report::TextStyle style{};               // of where the answer is shown
  std::optional<SizingStudy> sizing = {};  // of a comparison of sizes
};

/// Runs by `cells` what the folder does not have yet, and writes and prints the results, which say
/// that they are of `options.origin`. Returns kFailed if a cell failed. SIGINT, SIGTERM and SIGHUP
/// end it, as far as `cells` tells of them; what was measured is kept.
ExitCode runCells(const PreparedExperiment& prepared, const ExperimentFolder& folder,
                  RunnerOptions options, CellRunner& cells, Streams streams);

}  // namespace sumac::cli
