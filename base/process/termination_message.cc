#include "base/process/termination_message.h"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

#include "base/core/text.h"
#include "base/process/member_flags.h"

namespace sumac {
namespace {

constexpr std::size_t kMaxTermination = 1024;

// A JSON object, in exactly this form.
constexpr std::string_view kBeforeStep = R"({"schemaVersion":1,"step":)";
constexpr std::string_view kAfterStep = "}";
// Larger ones do not survive readers of JSON that know no integers.
constexpr Step kLargestStep = Step{1} << 53;

/// The step in a line of that form.
std::optional<Step> stepIn(std::string_view line) {
  if (!line.starts_with(kBeforeStep) || !line.ends_with(kAfterStep)) return std::nullopt;
  line.remove_prefix(kBeforeStep.size());
  line.remove_suffix(kAfterStep.size());
  Step step = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), step);
  const bool is_number = error == std::errc() && end == line.data() + line.size();
  if (!is_number || step < 0 || step > kLargestStep) return std::nullopt;
  return step;
}

}  // namespace

std::string LastWords::text() const {
  if (!step) return std::string(wholeCharacters(reason, kMaxTermination));
  const std::string line =
      "\n" + std::string(kBeforeStep) + std::to_string(*step) + std::string(kAfterStep);
  return std::string(wholeCharacters(reason, kMaxTermination - line.size())) + line;
}

LastWords LastWords::parse(std::string_view text) {
  const std::size_t cut = text.rfind('\n');
  const auto step = cut == text.npos ? std::nullopt : stepIn(text.substr(cut + 1));
  return {std::string(step ? text.substr(0, cut) : text), step};
}

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
