#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/page/charts.h"

namespace sumac::cli {

/// What is printed of an experiment that has ended: its tables, the verdict, and what lemma and
/// predictions are worth. `prediction_notes` are lines.
std::string conclusion(const experiment::Findings& findings, const std::string& prediction_notes);

/// "; 4 runs of an earlier start kept; 2 more in runs/ not used: more repetitions use them", of
/// those that are there; empty where there are none.
std::string keptText(int used, int there);

/// Whether any cell has been measured.
bool hasRuns(const std::vector<experiment::CellOutcome>& outcomes);

/// The last line where so many cells failed.
std::string failureText(std::int64_t failed);

}  // namespace sumac::cli
