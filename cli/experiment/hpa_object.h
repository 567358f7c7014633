#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "cli/cluster/cluster.h"
#include "cli/experiment/room_plan.h"

#include "experiment/cells/cells.h"

namespace sumac::cli {

/// The HorizontalPodAutoscaler of a run, with the job's name. Requires a cell that has one.
nlohmann::json autoscalerObject(const ExperimentMark& mark, const OwningJob& job,
                                const experiment::Cell& cell);

/// Whether the cluster serves metrics of pods, which such autoscalers read. Fails if it does not
/// answer.
Result<bool> hasPodMetrics(const Cluster& cluster);

}  // namespace sumac::cli
