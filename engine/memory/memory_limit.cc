#include "engine/memory/memory_limit.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/core/file.h"
#include "base/process/control_groups.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxLimitFile = 64UL * 1024;
// Version 1 writes a number near 2^63 for "no limit"; no machine has so much memory.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60U;

/// Nothing if the file is missing or says "max".
std::optional<std::uint64_t> readLimit(const fs::path& file) {
  const auto text = readTextFile(file, kMaxLimitFile);
  if (!text) return std::nullopt;
  std::uint64_t bytes = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), bytes);
  if (read.ec != std::errc() || bytes >= kNoLimit) return std::nullopt;
  return bytes;
}

}  // namespace

std::optional<std::uint64_t> memoryLimit(const fs::path& root) {
  std::optional<std::uint64_t> lowest;
  for (const fs::path& group : controlGroups(root, "memory")) {
    for (const char* const name : {"memory.max", "memory.limit_in_bytes"}) {
      const auto limit = readLimit(group / name);
      if (limit) lowest = std::min(*limit, lowest.value_or(*limit));
    }
  }
  return lowest;
}

}  // namespace sumac::worker
