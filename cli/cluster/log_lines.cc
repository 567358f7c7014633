#include "cli/cluster/log_lines.h"

#include <cstddef>

#include "base/log/line_format.h"

namespace sumac::cli {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 20U;

bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// "2026-01-31T12:00:00.1Z" as "2026-01-31T12:00:00.100000000", which sorts by time as long as all
/// have the same offset, as the lines of one container have; empty if it is not a time.
std::string keyOf(std::string_view time) {
  constexpr std::size_t kSeconds = 19;
  constexpr std::size_t kDigits = 9;
  if (time.size() <= kSeconds || time[4] != '-' || time[10] != 'T' || time[13] != ':') return {};
  std::string_view fraction;
  if (time[kSeconds] == '.') {
    const auto end = time.find_first_not_of("0123456789", kSeconds + 1);
    if (end == time.npos) return {};
    fraction = time.substr(kSeconds + 1, end - kSeconds - 1);
    if (!isDigits(fraction)) return {};
  }
  std::string key = std::string(time.substr(0, kSeconds)) + "." + std::string(fraction);
  key.resize(kSeconds + 1 + kDigits, '0');
  return key;
}

}  // namespace

void LineCutter::add(std::string_view bytes, const OnLine& on_line) {
  while (!bytes.empty()) {
    const auto newline = bytes.find('\n');
    rest_.append(bytes.substr(0, newline));
    if (newline == bytes.npos && rest_.size() < kLongest) return;
    on_line(rest_);
    rest_.clear();
    if (newline == bytes.npos) return;
    bytes.remove_prefix(newline + 1);
  }
}

void LineCutter::end(const OnLine& on_line) {
  if (!rest_.empty()) on_line(rest_);
  rest_.clear();
}

std::optional<std::string_view> LogCursor::take(std::string_view line) {
  const auto space = line.find(' ');
  const std::string_view time = line.substr(0, space);
  const std::string key = keyOf(time);
  if (key.empty()) return line;  // not a time: shown unchanged
  if (!last_key_.empty() && key <= last_key_) return std::nullopt;
  last_ = time;
  last_key_ = key;
  return space == line.npos ? std::string_view() : line.substr(space + 1);
}

std::string readableLine(std::string_view line, bool has_time) {
  const auto space = has_time ? line.find(' ') : line.npos;
  const auto start = space == line.npos ? 0 : space + 1;
  const auto text = textFromJsonLine(line.substr(start));
  return text ? std::string(line.substr(0, start)) + *text : std::string(line);
}

}  // namespace sumac::cli
