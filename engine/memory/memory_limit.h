#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sumac::worker {

/// The lowest memory limit, in bytes, of this process's control groups below `root` ("/"):
/// memory.max of version 2, memory.limit_in_bytes of version 1. Nothing if no group has a limit.
std::optional<std::uint64_t> memoryLimit(const std::filesystem::path& root);

}  // namespace sumac::worker
