#pragma once

#include <filesystem>
#include <string_view>

#include "base/core/result.h"

namespace sumac::worker {

/// The folder of the data set `name`: in `explicit_folder`, or among what ourInstallation() shares
/// when that is empty. Fails with kNotFound and the folder that is missing.
Result<std::filesystem::path> findDataFolder(std::string_view name,
                                             const std::filesystem::path& explicit_folder);

}  // namespace sumac::worker
