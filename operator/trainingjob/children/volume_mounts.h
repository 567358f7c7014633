#pragma once

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "kube/api/storage.h"

namespace sumac::trainingjob {

/// A volume that workers mount for spec.checkpoint, spec.output or spec.data.
struct VolumeMount {
  std::string volume_name;
  std::string path;       // absolute, without a trailing slash
  nlohmann::json source;  // of the volume: {"persistentVolumeClaim": {...}}
  std::string sub_path;   // the folder of the volume that is mounted; empty: all of it
  bool is_given = false;  // by the job; else an emptyDir is used if nothing else is mounted there
};

/// The mounts for checkpoint, output and data in the resolved `document`, without duplicates.
/// Sections that are absent or have a wrong type have none.
std::vector<VolumeMount> volumeMountsOf(const nlohmann::ordered_json& document);

/// The name of the claim that a volume stands for; empty: it is another kind of volume.
std::string claimOf(const nlohmann::json& volume);

/// The claims that hold nothing but what a job writes: its checkpoints and its output.
std::set<std::string> claimsWrittenTo(const nlohmann::ordered_json& document);

/// Whether one node alone can mount this claim, an object of the API server, for writing.
bool isForOneNode(const nlohmann::json& claim);

using api::absolutePath;

/// Whether one of `mounts` (of a container) mounts `path` or a folder above it.
bool isMounted(const nlohmann::json& mounts, const std::string& path);

}  // namespace sumac::trainingjob
