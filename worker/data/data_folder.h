#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace sumac::worker {

/// Where bundled data sets may be, in order of preference: `explicit_folder` alone if it is given;
/// else relative to `program`, in a source tree (build/<preset>/bin) and in an installation, then
/// below the working directory.
std::vector<std::filesystem::path> dataFolders(const std::filesystem::path& explicit_folder,
                                               const std::filesystem::path& program);

/// The folder of the data set `name`: in the first of the running program's dataFolders() that has
/// it. Fails with kNotFound and a list of the folders tried.
Result<std::filesystem::path> findDataFolder(std::string_view name,
                                             const std::filesystem::path& explicit_folder);

}  // namespace sumac::worker
