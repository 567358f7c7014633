#pragma once

#include <filesystem>

#include "cli/experiment/plan.h"
#include "common/base/result.h"

namespace sumac::cli {

/// Whether this machine has the data of all cells: asks sumac-worker in the folder `programs`,
/// which loads each data set once. Fails with the first that cannot be loaded, and names its cell.
Result<void> checkData(const ExperimentPlan& plan, const std::filesystem::path& programs);

}  // namespace sumac::cli
