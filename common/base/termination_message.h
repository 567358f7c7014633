#pragma once

#include <filesystem>
#include <string_view>

#include "common/base/result.h"

namespace sumac {

/// Writes the last word of a process, at most 1,024 bytes (a pod's containers share 12 KiB), into
/// the file that exists already or is made. An empty path writes nothing.
Result<void> writeTermination(const std::filesystem::path& path, std::string_view text);

/// The last word of a process whose command line cannot be used: `path` where it was read, else
/// $SUMAC_TERMINATION_FILE. Says nothing when that fails: the usage message stands on stderr.
void writeUsageTermination(const std::filesystem::path& path, std::string_view text);

}  // namespace sumac
