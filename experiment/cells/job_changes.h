#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/yaml/node.h"

#include "experiment/document/experiment.h"

namespace sumac::experiment {

/// One change of the base job, and where the document says so.
struct Change {
  std::string path;
  yaml::Node value;
  yaml::Position position;
  std::string said_by = {};  // the experiment's field that says it, where that has another path
};

/// What makes the base job that of a cell: first what the experiment sets in all of them, then what
/// the axes do. `choices` has the index of a value for each axis.
std::vector<Change> changesOf(const Experiment& experiment, const std::vector<std::size_t>& choices,
                              bool is_for_cluster);

bool setsBatchSize(const std::vector<Change>& changes);

/// A worker's batch, of an axis or else of the document; nothing where neither fixes it.
std::optional<yaml::Node> batchPerWorkerOf(const Experiment& experiment,
                                           const std::vector<std::size_t>& choices);

/// training.batchSize of a job whose number of workers is set; nothing where that is not a number,
/// or the product is too large to be one.
std::optional<Change> batchSizeOf(const yaml::Node& root, const yaml::Node& per_worker);

/// Why `--set`, with this "path=value", cannot change the jobs of an experiment, in one sentence:
/// it names a field of the experiment, or one that the experiment or an axis sets in every cell.
/// Empty where it can, or where it is no field at all, which the base job says.
std::string setOptionProblem(const Experiment& experiment, const std::string& set,
                             bool is_for_cluster);

}  // namespace sumac::experiment
