#pragma once

#include <string>
#include <vector>

#include "cli/cluster/cluster.h"
#include "kube/api/training_job.h"

namespace sumac::cli {

/// Why a job cannot have this many workers now, and what to do; empty if it can.
std::string scaleProblem(const api::TrainingJob& job, int workers);

/// `sumac scale JOB --workers N`. Returns an ExitCode, as all below.
int scale(const Cluster& cluster, const std::string& name, int workers, const Console& console);

/// `sumac suspend` and `sumac resume`.
int setSuspended(const Cluster& cluster, const std::vector<std::string>& names, bool is_suspended,
                 const Console& console);

struct RemoveOptions {
  std::vector<std::string> names;
  bool wait = false;  // until the object and its pods' owner are gone
  bool ignore_missing = false;
};

/// `sumac delete`.
int removeJobs(const Cluster& cluster, const RemoveOptions& options, const Console& console);

}  // namespace sumac::cli
