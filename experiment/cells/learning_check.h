#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/yaml/node.h"

#include "experiment/cells/cells.h"
#include "experiment/document/experiment.h"

namespace sumac::experiment {

/// Why a cell cannot be compared by what it learns.
struct Unlearnable {
  yaml::Position position;  // in the experiment's document
  std::string path;
  std::string message;
};

/// Nothing where the metric is no figure of learning, or the cell tells it. `choices` has the index
/// of a value for each axis.
std::vector<Unlearnable> whyUnlearnable(const Experiment& experiment,
                                        const std::vector<std::size_t>& choices, const Cell& cell);

}  // namespace sumac::experiment
