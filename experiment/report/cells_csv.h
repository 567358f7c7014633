#pragma once

#include <string>
#include <vector>

#include "experiment/report/summary.h"

namespace sumac::experiment {

/// cells.csv (RFC 4180): one line a cell, names and units as in results.json. An axis named like
/// another column has "axis." before its name.
std::string cellsCsv(const Experiment& experiment, const std::vector<Cell>& cells,
                     const std::vector<CellSummary>& summaries);

}  // namespace sumac::experiment
