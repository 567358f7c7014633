#include "operator/trainingjob/children/volume_mounts.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "operator/trainingjob/children/pod_tools.h"

namespace sumac::trainingjob {
namespace {

using nlohmann::json;

constexpr const char* kDataVolume = "sumac-data";

struct Section {
  const char* name;
  const char* volume_name;
  bool needs_folder;  // without a volume, an emptyDir is better than nothing to write to
};

constexpr std::array kSections = {Section{"checkpoint", "sumac-checkpoint", true},
                                  Section{"output", "sumac-output", true},
                                  Section{"data", kDataVolume, false}};

std::string pathIn(const json& section) {
  const json& path = memberOf(section, "path");
  return path.is_string() ? absolutePath(path.get<std::string>()) : "";
}

}  // namespace

std::vector<VolumeMount> volumeMountsOf(const nlohmann::ordered_json& document) {
  std::vector<VolumeMount> all;
  for (const Section& section : kSections) {
    const json fields = memberOf(memberOf(document, "spec"), section.name);
    const std::string path = pathIn(fields);
    const json* volume = api::volumeOf(fields);
    if (path.empty() || (volume == nullptr && !section.needs_folder)) continue;
    VolumeMount found{
        section.volume_name, path, {{"emptyDir", json::object()}}, "", volume != nullptr};
    if (volume != nullptr) {
      found.source = *volume;
      found.source.erase("subPath");  // of the mount
      found.sub_path = textOf(*volume, "subPath");
    }
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const VolumeMount& other) { return other.path == path; });
    if (same == all.end()) {
      all.push_back(found);
    } else if (!same->is_given) {
      *same = found;
    }
  }
  return all;
}

std::string claimOf(const json& volume) {
  return textOf(memberOf(volume, "persistentVolumeClaim"), "claimName");
}

std::set<std::string> claimsWrittenTo(const nlohmann::ordered_json& document) {
  std::set<std::string> claims;
  std::set<std::string> read{""};
  for (const VolumeMount& mount : volumeMountsOf(document))
    (mount.volume_name == kDataVolume ? read : claims).insert(claimOf(mount.source));
  for (const std::string& claim : read)
    claims.erase(claim);
  return claims;
}

/// What its volume can do counts, once it has one.
bool isForOneNode(const json& claim) {
  const json& found = memberOf(memberOf(claim, "status"), "accessModes");
  const json& asked = memberOf(memberOf(claim, "spec"), "accessModes");
  const json& modes = found.is_array() && !found.empty() ? found : asked;
  if (!modes.is_array()) return false;
  const auto has = [&](const char* mode) {
    return std::find(modes.begin(), modes.end(), mode) != modes.end();
  };
  return !has("ReadWriteMany") && (has("ReadWriteOnce") || has("ReadWriteOncePod"));
}

bool isMounted(const json& mounts, const std::string& path) {
  return std::any_of(mounts.begin(), mounts.end(), [&](const json& mount) {
    return api::isWithin(path, absolutePath(textOf(mount, "mountPath")));
  });
}

}  // namespace sumac::trainingjob
