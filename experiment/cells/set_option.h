#pragma once

#include <string>

#include "experiment/document/experiment.h"

namespace sumac::experiment {

/// Why `--set`, with this "path=value", cannot change the jobs of an experiment, in one sentence:
/// it names a field of the experiment, or one that the experiment or an axis sets in every cell.
/// Empty where it can, or where it is no field at all, which the base job says.
std::string setOptionProblem(const Experiment& experiment, const std::string& set,
                             bool is_for_cluster);

}  // namespace sumac::experiment
