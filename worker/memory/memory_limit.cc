#include "worker/memory/memory_limit.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>

#include "common/base/file.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFile = 64UL * 1024;
// Version 1 writes a number near 2^63 for "no limit"; no machine has so much memory.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60U;

/// Nothing for "max".
std::optional<std::uint64_t> readLimit(const fs::path& file) {
  const auto text = readTextFile(file, kMaxFile);
  if (!text) return std::nullopt;
  std::uint64_t bytes = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), bytes);
  if (read.ec != std::errc() || bytes >= kNoLimit) return std::nullopt;
  return bytes;
}

/// The lowest limit of a group and of all groups that contain it.
std::optional<std::uint64_t> lowestLimit(const fs::path& mount, fs::path group, const char* name) {
  std::optional<std::uint64_t> lowest;
  while (true) {
    if (const auto limit = readLimit(mount / group / name)) {
      lowest = std::min(*limit, lowest.value_or(*limit));
    }
    if (group.empty()) return lowest;
    group = group.parent_path();
  }
}

}  // namespace

std::optional<std::uint64_t> memoryLimit(const fs::path& root) {
  const auto groups = readTextFile(root / "proc/self/cgroup", kMaxFile);
  if (!groups) return std::nullopt;
  std::istringstream lines(*groups);  // "0::/path" or "4:memory:/path"
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_unified = controllers.empty();
    const bool has_memory = ("," + controllers + ",").find(",memory,") != std::string::npos;
    if (!is_unified && !has_memory) continue;
    const fs::path group = fs::path(line.substr(second + 1)).relative_path();
    const fs::path mount = root / "sys/fs/cgroup" / (is_unified ? "" : "memory");
    const char* const name = is_unified ? "memory.max" : "memory.limit_in_bytes";
    if (const auto limit = lowestLimit(mount, group, name)) return limit;
  }
  return std::nullopt;
}

}  // namespace sumac::worker
