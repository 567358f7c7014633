#include "cli/cluster/time_text.h"

#include <charconv>
#include <cstdint>

namespace sumac::cli {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

std::string with(std::int64_t count, const char* unit) {
  return std::to_string(count) + unit;
}

/// "3m20s"; without the second part where it is zero.
std::string with(std::int64_t count, const char* unit, std::int64_t rest, const char* rest_unit) {
  return rest == 0 ? with(count, unit) : with(count, unit) + with(rest, rest_unit);
}

std::optional<seconds> unitOf(char unit) {
  switch (unit) {
    case 's': return seconds(1);
    case 'm': return minutes(1);
    case 'h': return hours(1);
    case 'd': return days(1);
    default: return std::nullopt;
  }
}

}  // namespace

std::string durationText(seconds duration) {
  constexpr minutes kShowSeconds(10);
  constexpr hours kShowMinutes(8);
  constexpr days kShowHours(8);
  const std::int64_t s = duration.count();
  if (duration <= seconds(0)) return "0s";
  if (duration < minutes(2)) return with(s, "s");
  if (duration < kShowSeconds) return with(s / 60, "m", s % 60, "s");
  if (duration < hours(3)) return with(s / 60, "m");
  if (duration < kShowMinutes) return with(s / 3600, "h", s % 3600 / 60, "m");
  if (duration < hours(48)) return with(s / 3600, "h");
  if (duration < kShowHours) return with(s / 86400, "d", s % 86400 / 3600, "h");
  return with(s / 86400, "d");
}

std::string ageText(std::optional<WallTime> time, WallTime now) {
  if (!time) return "<unknown>";
  return durationText(std::chrono::floor<seconds>(now - *time));
}

std::optional<seconds> durationFrom(const std::string& text) {
  constexpr std::int64_t kLongest = 10LL * 365 * 86400;
  std::int64_t total = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at == end) return std::nullopt;
  while (at != end) {
    std::int64_t count = 0;
    const auto [rest, problem] = std::from_chars(at, end, count);
    if (problem != std::errc() || count < 0 || count > kLongest) return std::nullopt;
    const auto unit = rest == end ? std::nullopt : unitOf(*rest);
    if (!unit) return std::nullopt;
    total += count * unit->count();
    if (total > kLongest) return std::nullopt;
    at = rest + 1;
  }
  if (total == 0) return std::nullopt;
  return seconds(total);
}

}  // namespace sumac::cli
