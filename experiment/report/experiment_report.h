#pragma once

#include <string>
#include <vector>

#include "base/report/report.h"

#include "experiment/findings/findings.h"

namespace sumac::experiment {

/// The answer of an experiment: the verdict first, then what was measured and how. What terminals,
/// report.html, cells.csv and results.json say of it is written from this tree. One that is not
/// complete says so.
report::Report experimentReport(const Findings& findings, const Origin& origin, bool is_complete);

/// Which profiles are worth little, why cells have no prediction, and what a fit says, sentences;
/// mostly empty.
std::vector<std::string> predictionNotes(const PredictionBasis& basis);

/// scale.csv (RFC 4180): a line for each moment of each run that has a record of its number of
/// workers over time.
std::string scaleCsv(const std::vector<Cell>& cells, const std::vector<CellOutcome>& outcomes);

/// results.json. Whether it is complete, and which cells failed, stands in it.
std::string resultsJson(const Findings& findings, const Origin& origin, bool is_complete);

}  // namespace sumac::experiment
