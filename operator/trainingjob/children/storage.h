#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sumac::trainingjob {

/// A folder of the workers that has its own volume.
struct Storage {
  std::string volume_name;
  std::string path;       // absolute, without a trailing slash
  std::string source;     // the volume's source as JSON: {"persistentVolumeClaim": {...}}
  bool is_given = false;  // by the job; else an emptyDir is used if nothing else is mounted there
};

/// The folders of checkpoint, output and data in the resolved `document`, without duplicates.
/// Sections that are absent or have a wrong type give none.
std::vector<Storage> storageOf(const nlohmann::json& document);

/// Makes a path absolute, as container runtimes do with mount paths, and removes trailing slashes;
/// "/" stays "/".
std::string absolutePath(std::string path);

/// Whether one of `mounts` (of a container) mounts `path` or a folder above it.
bool isMounted(const nlohmann::json& mounts, const std::string& path);

/// Whether files written to the path of a section ("checkpoint", "output") of `document` outlive
/// the pod, given the workers' merged template.
bool isLasting(const nlohmann::json& document, const char* section,
               const nlohmann::json& merged_template);

}  // namespace sumac::trainingjob
