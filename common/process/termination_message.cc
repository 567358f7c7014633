#include "common/process/termination_message.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include "common/base/text.h"
#include "common/process/member_flags.h"

namespace sumac {
namespace {

constexpr std::size_t kMaxTermination = 1024;

}  // namespace

Result<void> writeTermination(const std::filesystem::path& path, std::string_view text) {
  if (path.empty()) return {};
  // In place: Kubernetes mounts the file itself, which cannot be replaced.
  std::ofstream file(path, std::ios::trunc);
  file << wholeCharacters(text, kMaxTermination);
  file.close();
  if (!file) {
    return Error{ErrorCode::kUnavailable, "cannot write the termination file " + path.string()};
  }
  return {};
}

void writeUsageTermination(const std::filesystem::path& path, std::string_view text) {
  const char* const named = std::getenv(member_flags::kTerminationFile.variable);
  const std::filesystem::path fallback = named == nullptr ? "" : named;
  [[maybe_unused]] const auto written = writeTermination(
      path.empty() ? fallback : path, "invalid command line: " + std::string(text));
}

}  // namespace sumac
