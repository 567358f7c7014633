#include "base/process/control_groups.h"

#include <cstdint>
#include <sstream>
#include <string>

#include "base/core/file.h"

namespace sumac {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFile = 64UL * 1024;

/// "/pods/one" as a path below a mount; a group outside our namespace ("/../x") is its root.
fs::path groupBelow(std::string_view name) {
  fs::path group = fs::path(name).relative_path().lexically_normal();
  const bool is_outside = !group.empty() && *group.begin() == "..";
  return is_outside || group == "." ? fs::path() : group;
}

void addWithAncestors(const fs::path& mount, fs::path group, std::vector<fs::path>& found) {
  while (!group.empty()) {
    found.push_back(mount / group);
    group = group.parent_path();
  }
  found.push_back(mount);
}

}  // namespace

std::vector<fs::path> controlGroups(const fs::path& root, std::string_view controller) {
  const auto groups = readTextFile(root / "proc/self/cgroup", kMaxFile);
  if (!groups) return {};
  const fs::path mounts = root / "sys/fs/cgroup";
  const std::string wanted = "," + std::string(controller) + ",";
  std::vector<fs::path> found;
  std::istringstream lines(*groups);  // "0::/path" of version 2, "4:cpu,cpuacct:/path" of version 1
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = groupBelow(std::string_view(line).substr(second + 1));
    if (controllers.empty()) {
      addWithAncestors(mounts, group, found);
    } else if (("," + controllers + ",").find(wanted) != std::string::npos) {
      addWithAncestors(mounts / controller, group, found);
      // Without a link for each controller, the mount has the name of all of them.
      if (controllers != controller) addWithAncestors(mounts / controllers, group, found);
    }
  }
  return found;
}

}  // namespace sumac
