#pragma once

#include <filesystem>
#include <string_view>

#include "common/base/result.h"

namespace sumac {

/// Writes why a process ended, cut to 1,024 bytes (a pod's containers share 12 KiB), into a file
/// that exists or is created. An empty path writes nothing.
Result<void> writeTermination(const std::filesystem::path& path, std::string_view text);

/// The same for a process whose command line is unusable: to `path` where that was read, else to
/// $SUMAC_TERMINATION_FILE. A failure to write is ignored: the usage message is on stderr.
void writeUsageTermination(const std::filesystem::path& path, std::string_view text);

}  // namespace sumac
