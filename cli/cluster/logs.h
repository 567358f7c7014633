#pragma once

#include "cli/cluster/cluster.h"
#include "cli/cluster/log_choice.h"

namespace sumac::cli {

struct LogsOptions {
  LogChoice choice;
  bool follow = false;
};

/// `sumac logs`: what the members of a job have written, one after the other, or with `follow` as
/// it comes, line by line: through lost connections, pods recreated and new attempts, until the
/// job has ended. Lines have the member's name before them where there may be several. Returns an
/// ExitCode: kDone, kFailed where no log could be read, kInterrupted.
int logs(const Cluster& cluster, const LogsOptions& options, const Console& console);

}  // namespace sumac::cli
