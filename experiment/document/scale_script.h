#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/yaml/node.h"
#include "job/document/field.h"

#include "experiment/document/experiment.h"

namespace sumac::experiment {

/// The field `scale` of an Experiment's spec.
job::Field scaleField();

/// The field `at` of a script's step.
job::Field timeField();

/// The seconds of such a field, "90s", "1.5m" or "2h". Requires one that the table allows.
double secondsOf(const yaml::Node& at);

/// Takes one problem of a script.
using ReportProblem = std::function<void(yaml::Position position, const std::string& path,
                                         const std::string& message)>;

/// The script in `list`, which fits the table. What the table cannot see goes to `report`: a script
/// begins at 0s, goes forward, and each of its steps changes something.
std::vector<ScaleStep> scaleFrom(const yaml::Node& list, const ReportProblem& report);

}  // namespace sumac::experiment
