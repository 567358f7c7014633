#include "kube/api/storage.h"

#include <string_view>

#include <nlohmann/json.hpp>

#include "kube/api/labels.h"
#include "kube/api/members.h"

namespace sumac::api {

using nlohmann::json;

std::string absolutePath(std::string path) {
  if (path.empty()) return path;
  if (path.front() != '/') path.insert(0, 1, '/');
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path;
}

bool isWithin(const std::string& path, const std::string& folder) {
  return folder == "/" || path == folder || path.starts_with(folder + "/");
}

const json* volumeOf(const json& section) {
  const json& volume = memberOf(section, "volume");
  return volume.is_object() && !volume.empty() ? &volume : nullptr;
}

namespace {

/// Empty where the section is missing, or says none and has no default.
std::string pathOf(const json& fields, std::string_view section) {
  const bool is_default =
      section == "checkpoint" && fields.is_object() && memberOf(fields, "path").is_null();
  return absolutePath(is_default ? kCheckpointPath : textOf(fields, "path"));
}

}  // namespace

bool outlivesPod(const json& document, const char* section, const json& pod_template) {
  const json& fields = memberOf(memberOf(document, "spec"), section);
  const std::string path = pathOf(fields, section);
  if (path.empty()) return false;
  if (const json* volume = volumeOf(fields)) return !volume->contains("emptyDir");
  const json& spec = memberOf(pod_template, "spec");
  const json* main = itemOf(memberOf(spec, "containers"), "name", kMainContainer);
  if (main == nullptr) return false;
  for (const json& mount : memberOf(*main, "volumeMounts")) {
    if (!isWithin(path, absolutePath(textOf(mount, "mountPath")))) continue;
    const json* volume = itemOf(memberOf(spec, "volumes"), "name", textOf(mount, "name"));
    if (volume != nullptr && !volume->contains("emptyDir")) return true;
  }
  return false;
}

}  // namespace sumac::api
