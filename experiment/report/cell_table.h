#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/report/report.h"

#include "experiment/findings/findings.h"

namespace sumac::experiment {

/// A table with a row for each cell. Its first columns tell cells apart: for people those axes that
/// have several values. The cells outlive it.
class CellTable {
 public:
  /// Has rows for those of `cells` for which `isShown`.
  CellTable(
      const Experiment& experiment, const std::vector<Cell>& cells, std::string caption,
      const std::function<bool(std::size_t)>& isShown = [](std::size_t) { return true; });

  /// A column with what `fieldOf` says of the cell with this index.
  void add(report::Column column, const std::function<report::Cell(std::size_t)>& fieldOf);
  /// The same of figures that only people read.
  void addNumber(std::string title, const std::function<report::Cell(std::size_t)>& fieldOf);
  /// The rate of links, unless none is limited or an axis says it.
  void addLink();

  report::Table take() { return std::move(table_); }

 private:
  const Experiment& experiment_;  // outlives us
  const std::vector<Cell>& cells_;
  std::vector<std::size_t> shown_;
  report::Table table_;
};

/// What was measured of each cell: all columns of cells.csv, and for people those that say what was
/// asked, with the 95 % intervals of the means. An axis that is called like another column has
/// "axis." before its key.
report::Table resultTable(const Findings& findings);

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
