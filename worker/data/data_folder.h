#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace sumac::worker {

/// Where data sets that come with the product may lie: `explicit_folder` alone when it is given;
/// else seen from `program` in a source tree (build/<preset>/bin) and in an installation, then
/// below the working directory.
std::vector<std::filesystem::path> dataFolders(const std::filesystem::path& explicit_folder,
                                               const std::filesystem::path& program);

/// The folder of the data set `name` in the first of dataFolders() of the running program that has
/// it; kNotFound lists where it was looked for.
Result<std::filesystem::path> findDataFolder(std::string_view name,
                                             const std::filesystem::path& explicit_folder);

}  // namespace sumac::worker
