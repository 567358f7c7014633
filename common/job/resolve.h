#pragma once

#include "common/job/job.h"
#include "common/yaml/node.h"

namespace sumac::job {

/// Puts the defaults that the API server would set into a document of any shape, and takes out what
/// is `null` and need not be given, as it does.
void applySchemaDefaults(yaml::Node& root);

/// Resolves V where the document does not give it (worker.maxReplicas, else worker.replicas), then
/// puts `workers` and `servers` of the command line over it. Leaves alone what is wrong: check()
/// reports that.
void applyWorkers(yaml::Node& root, const Overrides& overrides);

/// Puts the remaining defaults into a checked document.
void applyResolverDefaults(yaml::Node& root);

}  // namespace sumac::job
