#pragma once

#include <string>

#include "cli/cluster/cluster.h"
#include "cli/cluster/log_choice.h"

namespace sumac::cli {

/// Prints the lines of all chosen members as they come, until the job of this uid has ended, was
/// deleted, or Ctrl-C. Returns an ExitCode.
int followLogs(const Cluster& cluster, const LogChoice& choice, const std::string& uid,
               const Console& console);

}  // namespace sumac::cli
