#pragma once

#include <string>
#include <vector>

#include "cli/cluster/cluster.h"

namespace sumac::cli {

/// `sumac describe`: everything about jobs, and what to do next. `program` is how we are called.
/// If pods or events cannot be read, the reason is printed in their place. Returns an ExitCode:
/// kDone, or kFailed where a job cannot be read.
int describe(const Cluster& cluster, const std::vector<std::string>& names,
             const std::string& program, const Console& console);

}  // namespace sumac::cli
