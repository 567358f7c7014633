#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "experiment/cells/cells.h"
#include "experiment/measure/statistics.h"

namespace sumac::experiment {

/// Two cells that differ in one axis. Once their ratio is known, the first is the better one: the
/// faster one, or whose accuracy is higher or perplexity lower. The cells outlive it.
struct Comparison {
  std::size_t axis = 0;
  const Cell* first = nullptr;
  const Cell* second = nullptr;
  bool is_idle = false;   // one of them exchanges nothing, and speed is compared
  Ratio ratio{};          // how many times better the first is
  double first_mean = 0;  // of the metric
  double second_mean = 0;

  bool isSignificant() const { return ratio.low > 1; }
  double strength() const { return std::log(ratio.low); }  // of what is significant
};

/// Whether nothing but what the experiment asks makes the speeds of two cells differ: samples of
/// other networks cost other work, and how long emulated computing takes was chosen.
bool isFair(const Cell& one, const Cell& other);

/// Whether a cell has nobody to exchange with: one worker without servers.
bool exchangesNothing(const Experiment& experiment, const Cell& cell);

/// All pairs of cells that are compared, whatever was measured of them: how many they are must not
/// depend on what came out. By what they learn other networks are compared, too, and nothing
/// that is emulated. Of the axis of workers the most with the fewest; of one of servers that
/// and neighbours, where the workers are as many.
std::vector<Comparison> pairsOf(const Experiment& experiment, const std::vector<Cell>& cells);

}  // namespace sumac::experiment
