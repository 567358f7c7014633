#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/findings/summary.h"
#include "experiment/predict/cell_prediction.h"

namespace sumac::experiment {

/// What an experiment found, with an outcome and a summary for each cell. Its parts outlive it.
struct Findings {
  const Experiment& experiment;
  const std::vector<Cell>& cells;
  const std::vector<CellOutcome>& outcomes;
  const std::vector<CellSummary>& summaries;
};

/// Where and by what an experiment was measured and predicted.
struct Origin {
  std::string version;  // of Sumac
  std::string command;  // that measures it again
  std::string host;
  std::string cpu;  // model name
  int cores = 0;    // that the experiment may use
  std::uint64_t memory_bytes = 0;
  std::string kernel;  // "Linux 6.1.0-9-amd64"
  // Of a cluster, in place of all but the first two above.
  std::string cluster = {};  // address of its API server; empty: measured on this machine
  std::string name_space = {};
  std::vector<NodeFacts> nodes = {};  // that members ran on, by name
  PredictionBasis predictions = {};
};

}  // namespace sumac::experiment
