#include "engine/data/class_names.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/core/file.h"

namespace sumac::worker {

Result<std::vector<std::string>> readClassNames(const std::filesystem::path& path, int classes) {
  constexpr std::uint64_t kMostOfName = 256;
  const auto is_there = isThere(path);
  if (!is_there) return is_there.error();
  if (!*is_there) return std::vector<std::string>{};
  const auto text = readTextFile(path, kMostOfName * static_cast<std::uint64_t>(classes));
  if (!text) return text.error();
  std::vector<std::string> names;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) names.emplace_back(line);
  }
  if (std::ssize(names) == classes) return names;
  return Error{ErrorCode::kInvalid,
               "cannot use " + path.string() + ": found " + std::to_string(names.size()) +
                   " names, expected those of " + std::to_string(classes) + " classes, one a line"};
}

}  // namespace sumac::worker
