#pragma once

#include <vector>

#include "base/yaml/node.h"
#include "job/document/field.h"

#include "experiment/document/experiment.h"
#include "experiment/document/scale_script.h"

namespace sumac::experiment {

/// The field `events` of an Experiment's spec.
job::Field eventsField();

/// The script in `list`, which fits the table. What the table cannot see goes to `report`: events
/// go forward.
std::vector<ScriptedEvent> eventsFrom(const yaml::Node& list, const ReportProblem& report);

}  // namespace sumac::experiment
