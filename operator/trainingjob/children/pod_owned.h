#pragma once

#include <nlohmann/json_fwd.hpp>

#include "common/base/slot.h"
#include "operator/trainingjob/record.h"

namespace sumac::trainingjob {

/// Which pod of which job.
struct PodIdentity {
  const api::TrainingJob& job;
  const JobRecord& record;
  Slot slot;
  int attempt = 0;
  int workers = 0;  // of the whole attempt
};

/// Puts into a merged PodSpec what is the operator's: it wins over every template. Names and
/// restart policy, SUMAC_*, the mounts of job, keys and storage, the termination message's path.
void ownPodSpec(nlohmann::json& spec, const PodIdentity& pod);

/// The pod's metadata, with the labels and annotations of the template below ours.
nlohmann::json podMeta(const nlohmann::json& merged_template, const PodIdentity& pod);

}  // namespace sumac::trainingjob
