#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "experiment/findings/summary.h"

namespace sumac::experiment {

/// Whether predictions say which of two cells is faster. A value type.
struct Ranking {
  std::size_t pairs = 0;  // of which that was measured
  /// Cells of these pairs that are predicted the other way round, or as equally fast, by their
  /// numbers: the one that is faster first.
  std::vector<std::pair<int, int>> wrong = {};
};

/// Asks it of any two cells of the same network, link and way of computing whose 95 % intervals of
/// samples a second do not overlap. Cells that the costs were fitted to are left out, and those
/// without a prediction or an interval. Requires a summary for each cell.
Ranking rankingOf(const std::vector<Cell>& cells, const std::vector<CellSummary>& summaries);

}  // namespace sumac::experiment
