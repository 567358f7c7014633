#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace sumac {

/// The folders of the control groups that limit this process, by `controller` ("cpu", "memory"):
/// each group that it is in, followed by the groups that contain it. Read from /proc/self/cgroup
/// and placed under /sys/fs/cgroup, both below `root` ("/"); versions 1 and 2. Empty if there are
/// no control groups. A folder may be missing: a container's mount can show less of the tree.
std::vector<std::filesystem::path> controlGroups(const std::filesystem::path& root,
                                                 std::string_view controller);

}  // namespace sumac
