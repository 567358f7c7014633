#pragma once

#include <string>
#include <vector>

#include "cli/cluster/cluster.h"

namespace sumac::cli {

/// `sumac describe`: everything about jobs, and what to do next. `program` is how we are called.
/// What else than the job cannot be read (pods, events) is said in its place. Returns an ExitCode:
/// kDone, or kFailed where a job cannot be read.
int describe(const Cluster& cluster, const std::vector<std::string>& names,
             const std::string& program, const Console& console);

}  // namespace sumac::cli
