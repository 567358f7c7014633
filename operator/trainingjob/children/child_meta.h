#pragma once

#include <nlohmann/json_fwd.hpp>

#include "kube/api/training_job.h"

namespace sumac::trainingjob {

/// The metadata of a child: name, namespace, labels, and the job as its controlling owner.
nlohmann::json childMeta(const api::TrainingJob& job, const std::string& name);

/// The labels that every child has: the job's name and the recommended app.kubernetes.io/*.
nlohmann::json childLabels(const std::string& job);

}  // namespace sumac::trainingjob
