#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace sumac::api {

/// Where a pod's checkpoints are if spec.checkpoint does not say: the default of its field path.
inline constexpr const char* kCheckpointPath = "/checkpoints";

/// Absolute and without a slash at its end, as container runtimes read a relative mount path; "/"
/// and "" stay.
std::string absolutePath(std::string path);

/// Whether absolute `path` is `folder` or lies in it.
bool isWithin(const std::string& path, const std::string& folder);

/// The volume of a section of spec ("checkpoint", "output", "data"); nullptr where none is given.
const nlohmann::json* volumeOf(const nlohmann::json& section);

/// Whether what a worker writes to the path of a section ("checkpoint", "output") outlives its pod:
/// the section has a volume that is not an emptyDir, or `pod_template`, the workers' (may be null),
/// mounts one there. `document` is a TrainingJob; what is absent or of a wrong type counts as not
/// given.
bool outlivesPod(const nlohmann::json& document, const char* section,
                 const nlohmann::json& pod_template);

}  // namespace sumac::api
