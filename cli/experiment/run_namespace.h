#pragma once

#include <ostream>

#include "base/core/result.h"
#include "cli/cluster/cluster.h"
#include "cli/experiment/cell_object.h"

namespace sumac::cli {

/// Makes the cluster's namespace ready for the runs of an experiment: removes quotas that earlier
/// ones left. Where the experiment `limits_room`, the namespace may have no pods but those of our
/// own jobs, and is made if the command line names it and it does not exist. Reports on `err` what
/// it did. Fails with a message for people.
Result<void> prepareNamespace(const Cluster& cluster, const ExperimentMark& mark, bool limits_room,
                              std::ostream& err);

/// Whether a quota on the cluster's namespace would limit nobody else's pods: those that have not
/// ended are of our jobs. Fails with a message for people, which names some of the others.
Result<void> checkOtherPods(const Cluster& cluster, const ExperimentMark& mark);

}  // namespace sumac::cli
