#pragma once

#include <string>
#include <vector>

#include "experiment/report/summary.h"

namespace sumac::experiment {

/// scale.csv (RFC 4180): a line for each moment of each run that has a record of its number of
/// workers over time.
std::string scaleCsv(const std::vector<Cell>& cells, const std::vector<CellOutcome>& outcomes);

/// "1 worker at 0 s, 4 workers at 20 s".
std::string scriptText(const std::vector<ScaleStep>& script);

}  // namespace sumac::experiment
