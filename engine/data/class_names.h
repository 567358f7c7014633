#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/core/result.h"

namespace sumac::worker {

/// The names of `classes` classes from a file with one a line; none if there is no such file. Fails
/// if it has another number of them.
Result<std::vector<std::string>> readClassNames(const std::filesystem::path& path, int classes);

}  // namespace sumac::worker
