#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/report/summary.h"

namespace sumac::experiment {

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
  // Why cells have no prediction and what a fit says, as lines; mostly empty.
  std::string prediction_notes = {};
};

/// The lines of a text, without empty ones.
std::vector<std::string> linesOf(const std::string& text);

/// The nodes that the members of these runs ran on, by name.
std::vector<NodeFacts> nodesOf(const std::vector<CellOutcome>& outcomes);

/// results.json. Whether it is complete, and which cells failed, stands in it.
std::string resultsJson(const Experiment& experiment, const std::vector<Cell>& cells,
                        const std::vector<CellOutcome>& outcomes, const Origin& origin,
                        bool is_complete);

}  // namespace sumac::experiment
