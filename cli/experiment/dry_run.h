#pragma once

#include <optional>
#include <ostream>

#include "base/report/text.h"
#include "cli/experiment/predictions.h"
#include "cli/experiment/prepared_experiment.h"
#include "cli/experiment/sizing_study.h"

namespace sumac::cli {

/// An experiment before it runs. Its parts outlive it.
struct PlannedExperiment {
  const PreparedExperiment& prepared;
  const Predictions& predictions;
  const std::optional<SizingStudy>& sizing;  // of a comparison of sizes
};

/// Lists the cells, what is known of them, and how much would be run.
void printDryRun(const PlannedExperiment& planned, const report::TextStyle& style,
                 std::ostream& out);

}  // namespace sumac::cli
