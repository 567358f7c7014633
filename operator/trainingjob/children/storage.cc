#include "operator/trainingjob/children/storage.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "operator/trainingjob/children/pod_tools.h"

namespace sumac::trainingjob {
namespace {

using nlohmann::json;

struct Section {
  const char* name;
  const char* volume_name;
  bool needs_folder;  // without a volume, an emptyDir is better than nothing to write to
};

constexpr std::array kSections = {Section{"checkpoint", "sumac-checkpoint", true},
                                  Section{"output", "sumac-output", true},
                                  Section{"data", "sumac-data", false}};

/// The source of the section's volume; null if it has none.
const json* sourceOf(const json& section) {
  const json& volume = memberOf(section, "volume");
  return volume.is_object() && !volume.empty() ? &volume : nullptr;
}

std::string pathIn(const json& section) {
  const json& path = memberOf(section, "path");
  return path.is_string() ? absolutePath(path.get<std::string>()) : "";
}

bool covers(const std::string& folder, const std::string& path) {
  return folder == "/" || path == folder || path.starts_with(folder + "/");
}

}  // namespace

std::string absolutePath(std::string path) {
  if (path.empty()) return path;
  if (path.front() != '/') path.insert(0, 1, '/');
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path;
}

std::vector<Storage> storageOf(const json& document) {
  std::vector<Storage> all;
  for (const Section& section : kSections) {
    const json& fields = memberOf(memberOf(document, "spec"), section.name);
    const std::string path = pathIn(fields);
    const json* source = sourceOf(fields);
    if (path.empty() || (source == nullptr && !section.needs_folder)) continue;
    const Storage found{section.volume_name, path,
                        source == nullptr ? R"({"emptyDir":{}})" : source->dump(),
                        source != nullptr};
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const Storage& other) { return other.path == path; });
    if (same == all.end()) {
      all.push_back(found);
    } else if (!same->is_given) {
      *same = found;
    }
  }
  return all;
}

bool isMounted(const json& mounts, const std::string& path) {
  return std::any_of(mounts.begin(), mounts.end(), [&](const json& mount) {
    return covers(absolutePath(textOf(mount, "mountPath")), path);
  });
}

bool isLasting(const json& document, const char* section, const json& merged_template) {
  const json& fields = memberOf(memberOf(document, "spec"), section);
  if (const json* source = sourceOf(fields)) return !source->contains("emptyDir");
  const std::string path = pathIn(fields);
  const json& spec = memberOf(merged_template, "spec");
  const json* main = itemOf(memberOf(spec, "containers"), "name", kMainContainer);
  if (path.empty() || main == nullptr) return false;
  for (const json& mount : memberOf(*main, "volumeMounts")) {
    if (!covers(absolutePath(textOf(mount, "mountPath")), path)) continue;
    const json* volume = itemOf(memberOf(spec, "volumes"), "name", textOf(mount, "name"));
    if (volume != nullptr && !volume->contains("emptyDir")) return true;
  }
  return false;
}

}  // namespace sumac::trainingjob
