#pragma once

#include <string>
#include <vector>

#include "experiment/report/summary.h"

namespace sumac::experiment {

/// What an experiment says, in words.
struct Verdict {
  std::vector<std::string> sentences;  // a handful, the most telling first; never empty
  std::string basis;                   // what was compared and how; empty: nothing was
};

/// Compares the samples a second of the pairs of cells that pairsOf() names. A difference is told
/// only where the interval of the ratio leaves 1 out; the intervals are so wide (Bonferroni) that
/// all of them hold together with 95 %. What restarts cost comes first. Requires a summary for each
/// cell.
Verdict verdictOf(const Experiment& experiment, const std::vector<Cell>& cells,
                  const std::vector<CellSummary>& summaries);

/// As lines for a terminal.
std::string toText(const Verdict& verdict);

}  // namespace sumac::experiment
