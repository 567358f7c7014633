#pragma once

#include <string>
#include <vector>

#include "base/report/report.h"

#include "experiment/findings/findings.h"
#include "experiment/report/charts.h"

namespace sumac::experiment {

/// The answer of an experiment, and its pictures, each of which is a file of its own, too.
struct ExperimentReport {
  report::Report report;
  std::vector<Picture> pictures;
};

/// The verdict first, then what was measured and how. What terminals and report.html say of it is
/// written from this tree, which takes its tables from where cells.csv and results.json take them.
/// One that is not complete says so.
ExperimentReport experimentReport(const Findings& findings, const Origin& origin, bool is_complete);

/// Which profiles are worth little, why cells have no prediction, and what a fit says, sentences;
/// mostly empty.
std::vector<std::string> predictionNotes(const PredictionBasis& basis);

/// scale.csv (RFC 4180): a line for each moment of each run that has a record of its number of
/// workers over time.
std::string scaleCsv(const std::vector<Cell>& cells, const std::vector<CellOutcome>& outcomes);

/// results.json. Whether it is complete, and which cells failed, stands in it.
std::string resultsJson(const Findings& findings, const Origin& origin, bool is_complete);

}  // namespace sumac::experiment
