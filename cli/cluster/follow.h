#pragma once

#include <string>

#include "cli/cluster/cluster.h"
#include "common/api/objects.h"

namespace sumac::cli {

/// Tells on standard error what a job does until it has ended, and returns the ExitCode of its
/// result (endOf); kFailed where it was deleted, kInterrupted after Ctrl-C: the job goes on then.
/// `uid`: of this very job, not of a later one with its name.
int followToEnd(const Cluster& cluster, const api::ObjectKey& key, const std::string& uid,
                bool has_progress, const Console& console);

}  // namespace sumac::cli
