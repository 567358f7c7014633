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

/// What `sumac experiment --dry-run` answers: lists the cells with what is predicted of them, names
/// those that would be left out, and says how much would be run, for about how long and compared by
/// what. Runs nothing.
void printDryRun(const PlannedExperiment& planned, const report::TextStyle& style,
                 std::ostream& out);

}  // namespace sumac::cli
