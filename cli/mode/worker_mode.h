#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/error.h"

namespace sumac::cli {

/// Becomes sumac-worker in the folder `programs`, with these arguments: terminal, signals and exit
/// status are its own from then on. Returns only when it cannot be executed, and says why.
Error becomeWorker(const std::filesystem::path& programs, std::vector<std::string> arguments);

}  // namespace sumac::cli
