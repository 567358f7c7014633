#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/report/summary.h"

namespace sumac::experiment {

/// The cells that an experiment would run: each with its values, workers, servers and batch size.
/// Where there are predictions, one for each cell, in batches of the job a second, with these in
/// samples a second, as in resultTable() and on the page.
std::string cellTable(const Experiment& experiment, const std::vector<Cell>& cells,
                      const std::vector<std::optional<double>>& predicted = {});

/// What was measured of each cell, with the 95 % intervals of the means; a failed cell has the
/// first line of its cause. Below it stand the footnotes that explain its marks.
std::string resultTable(const Experiment& experiment, const std::vector<Cell>& cells,
                        const std::vector<CellSummary>& summaries);

/// Whether a mean has an interval: one of several runs.
bool hasIntervals(const std::vector<CellSummary>& summaries);

/// A line on the cells that have a run far slower than their others, and one on those whose mean is
/// not known as well as the experiment's stop rule asks; each is left out where there are none.
std::string uncertaintyNote(const Experiment& experiment,
                            const std::vector<CellSummary>& summaries);

/// How well the predictions were met, as a line; empty where there are none.
std::string predictionNote(const std::vector<CellSummary>& summaries);

/// "812.3 ± 1.4 %"; without the second half where the interval is not known.
std::string estimateText(const Estimate& estimate);

}  // namespace sumac::experiment
