#pragma once

#include <string>

#include "cli/cluster/cluster.h"
#include "common/api/objects.h"

namespace sumac::cli {

/// Reports on standard error what a job does until it has ended, and returns the ExitCode of its
/// result (endOf); kFailed if it was deleted, kInterrupted after Ctrl-C: the job then continues.
/// `uid` tells this job from a later one with the same name.
int followToEnd(const Cluster& cluster, const api::ObjectKey& key, const std::string& uid,
                bool has_progress, const Console& console);

}  // namespace sumac::cli
