#pragma once

#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/core/slot.h"
#include "kube/api/training_job.h"
#include "operator/trainingjob/state/record.h"

namespace sumac::trainingjob {

/// Which pod of which job.
struct PodIdentity {
  const api::TrainingJob& job;
  const JobRecord& record;
  Slot slot;
  int attempt = 0;
  int workers = 0;                         // of the whole attempt
  const std::set<std::string>& elsewhere;  // claims that it does not mount, as of CreatePod
};

/// Sets the fields of a merged PodSpec that the operator owns, whatever the templates say: names
/// and restart policy, SUMAC_* variables, the mounts of job, keys, sources and storage, the path of
/// the termination message.
void ownPodSpec(nlohmann::json& spec, const PodIdentity& pod);

/// The metadata of the pod: labels and annotations of the template, overridden by ours. Unless the
/// template says otherwise, the cluster autoscaler does not remove the pod's node.
nlohmann::json podMeta(const nlohmann::json& merged_template, const PodIdentity& pod);

}  // namespace sumac::trainingjob
