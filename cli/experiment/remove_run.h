#pragma once

#include <string>

#include "cli/cluster/cluster.h"

namespace sumac::cli {

/// Deletes a job of this uid, and waits, for a minute at most, until it is gone with its pods.
/// Returns what to tell people if that did not work, else an empty text.
std::string removeRun(const Cluster& cluster, const std::string& name, const std::string& uid);

}  // namespace sumac::cli
