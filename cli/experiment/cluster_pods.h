#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "cli/cluster/cluster.h"
#include "kube/api/objects.h"
#include "kube/client/client.h"

#include "experiment/measure/figures.h"

namespace sumac::cli {

/// What a pod's main container wrote, whole. Fails with kUnavailable.
Result<std::string> logOfPod(const Cluster& cluster, const std::string& pod);

/// Writes the pods' logs into a folder: as many as can be had, as they only help people.
void keepLogs(const Cluster& cluster, const std::vector<api::Pod>& pods,
              const std::filesystem::path& folder);

/// Adds where the members ran, and what one may see of these nodes.
void addNodes(const Cluster& cluster, const std::vector<api::Pod>& pods,
              experiment::RunFigures& figures);

/// Asks the API server to evict the pod, as a drain does; only this very pod. Returns why that did
/// not happen: 429 where a PodDisruptionBudget does not allow it now.
std::optional<kube::Failure> evictPod(const Cluster& cluster, const api::ObjectMeta& pod);

/// What worker 0 said at its end; empty: not known.
std::string lastMessage(const std::vector<api::Pod>& pods);

}  // namespace sumac::cli
