#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "experiment/findings/summary.h"

namespace sumac::experiment {

/// The number of servers that Zou et al.'s lemma (planner/sizing/server_lemma.h) asks for, beside
/// what cells with several numbers of them measured. A value type.
struct ServersCheck {
  /// A step of one cell, as a multiple of computing.
  struct Measured {
    int servers = 0;
    double step = 1;
    std::optional<double> half_width;  // of its 95 % interval, as far as the step is not known
  };

  const Cell* cell = nullptr;  // one of them; the cells outlive it
  std::size_t axis = 0;        // in which they differ
  int workers = 1;
  double compute_seconds = 0;   // T_C: gradients and update of a step, mean of these cells
  double exchange_seconds = 0;  // 2 S N / B: that one server's link would take
  std::int64_t servers = 1;     // by the lemma
  std::vector<Measured> measured = {};
};

/// One for each set of cells that differ in nothing but the number of servers, have limited links
/// and tell what computing took. S is what a worker sends in a step, B the rate of a link.
std::vector<ServersCheck> serversChecks(const Experiment& experiment,
                                        const std::vector<Cell>& cells,
                                        const std::vector<CellSummary>& summaries);

}  // namespace sumac::experiment
