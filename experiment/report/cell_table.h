#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/report/report.h"

#include "experiment/findings/findings.h"

namespace sumac::experiment {

/// What was measured of each cell: all columns of cells.csv, and for people those that say what was
/// asked, with the 95 % intervals of the means. An axis that is called like another column has
/// "axis." before its key.
report::Table resultTable(const Findings& findings);

/// What the runs of each cell learned: each score with the 95 % interval of its mean, the test
/// values beside those of validation. Has rows for cells of which that is known.
report::Table learnedTable(const Findings& findings);

/// Explains the marks of such a table, names the cells of which a run was far slower than the
/// others, and says how many means are not known as well as the stop rule asks; mostly empty.
std::vector<std::string> resultNotes(const Findings& findings);

/// The cells that an experiment would run, with predictions in mini-batches of the job a second,
/// one for each cell, or none at all.
report::Table planTable(const Experiment& experiment, const std::vector<Cell>& cells,
                        const std::vector<std::optional<double>>& predicted);

/// Time of a step by phase, and bytes, of the cells that were measured.
report::Table stepTable(const Findings& findings);

/// What speeds count: "Batches/s" of the whole job, or "Worker batches/s", those of all workers, as
/// papers do that give each worker a batch of its own.
bool countsWorkerBatches(const Experiment& experiment);
std::string batchesTitle(const Experiment& experiment);

}  // namespace sumac::experiment
