#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sumac::trainingjob {

/// A folder of a job's workers that lies on a volume of its own.
struct Storage {
  std::string volume_name;
  std::string path;       // absolute, without a slash at its end
  std::string source;     // the volume's source as JSON: {"persistentVolumeClaim": {...}}
  bool is_given = false;  // by the job; else an emptyDir stands in, where nothing else is mounted
};

/// The folders of checkpoint, output and data in the resolved `document`; one that is asked for
/// twice comes once. Absent sections, and anything of a wrong type, give none.
std::vector<Storage> storageOf(const nlohmann::json& document);

/// Absolute and without a slash at its end, as container runtimes take a relative mount path; "/"
/// stays.
std::string absolutePath(std::string path);

/// Whether `mounts` (of a container) has `path` or a folder above it, so that something lies there.
bool isMounted(const nlohmann::json& mounts, const std::string& path);

/// Whether what is written to `path` outlives the pod, given the section ("checkpoint", "output")
/// of `document` and the workers' merged template.
bool isLasting(const nlohmann::json& document, const char* section,
               const nlohmann::json& merged_template);

}  // namespace sumac::trainingjob
