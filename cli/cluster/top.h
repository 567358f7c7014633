#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/core/wall_time.h"
#include "cli/cluster/cluster.h"
#include "kube/api/training_job.h"

namespace sumac::cli {

struct TopOptions {
  std::string name;  // empty: all jobs
  bool all_namespaces = false;
  bool once = false;
};

/// Jobs ordered by progress, running ones first; where the terminal is too narrow, without the
/// columns that matter least. With a progress bar if there is only one job.
std::string topText(const std::vector<api::TrainingJob>& jobs, const TopOptions& options,
                    WallTime now, const report::TextStyle& style);

/// `sumac top`: the table, drawn again when something changes, once a second at most, until Ctrl-C
/// (or until the one job has ended). Without a terminal it prints another table each time. Returns
/// an ExitCode.
int top(const Cluster& cluster, const TopOptions& options, const Console& console);

}  // namespace sumac::cli
