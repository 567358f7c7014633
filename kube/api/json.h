#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "kube/api/objects.h"
#include "kube/api/training_job.h"

namespace sumac::api {

/// What came from the API server is read as hostile: a wrong type or a missing uid is an error that
/// names the field, never an exception. Unknown fields are ignored.
Result<Pod> podFromJson(const nlohmann::json& object);
Result<TrainingJob> jobFromJson(const nlohmann::json& object);
Result<ObjectMeta> metaFromJson(const nlohmann::json& object);

nlohmann::json toJson(const JobStatus& status);

/// A whole TrainingJob for PUT /status: apiVersion, kind, metadata with resourceVersion, and
/// status. The API server ignores spec there, and so it is left out.
nlohmann::json statusUpdate(const TrainingJob& job, const JobStatus& status);

}  // namespace sumac::api
