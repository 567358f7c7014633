#include "base/core/wall_time.h"

#include <array>
#include <cstdio>
#include <optional>

namespace sumac {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Takes what it has read off the front of the text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::optional<int> digits(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    int number = 0;
    for (const char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return std::nullopt;
      number = number * 10 + (c - '0');
    }
    rest_.remove_prefix(count);
    return number;
  }

  /// One of the given characters; 0 when another one comes.
  char take(std::string_view choices) {
    if (rest_.empty() || choices.find(rest_.front()) == choices.npos) return 0;
    const char found = rest_.front();
    rest_.remove_prefix(1);
    return found;
  }

  /// Digits after a point, to the microsecond; further ones are dropped.
  std::optional<microseconds> fraction() {
    if (take(".") == 0) return microseconds(0);
    int value = 0;
    int scale = 1'000'000;
    bool any = false;
    while (const auto digit = digits(1)) {
      any = true;
      scale /= 10;
      value += *digit * scale;
    }
    if (!any) return std::nullopt;
    return microseconds(value);
  }

  std::optional<minutes> offset() {
    const char sign = take("Zz+-");
    if (sign == 'Z' || sign == 'z') return minutes(0);
    if (sign == 0) return std::nullopt;
    const auto hour = digits(2);
    if (!hour || take(":") == 0) return std::nullopt;
    const auto minute = digits(2);
    if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
    const minutes amount = hours(*hour) + minutes(*minute);
    return sign == '-' ? -amount : amount;
  }

  bool isAtEnd() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::optional<std::chrono::sys_days> date(Scanner& scanner) {
  const auto year = scanner.digits(4);
  if (!year || scanner.take("-") == 0) return std::nullopt;
  const auto month = scanner.digits(2);
  if (!month || scanner.take("-") == 0) return std::nullopt;
  const auto day = scanner.digits(2);
  if (!day) return std::nullopt;
  const auto calendar = std::chrono::year(*year) /
                        std::chrono::month(static_cast<unsigned>(*month)) /
                        std::chrono::day(static_cast<unsigned>(*day));
  if (!calendar.ok()) return std::nullopt;
  return std::chrono::sys_days(calendar);
}

std::optional<microseconds> timeOfDay(Scanner& scanner) {
  const auto hour = scanner.digits(2);
  if (!hour || scanner.take(":") == 0) return std::nullopt;
  const auto minute = scanner.digits(2);
  if (!minute || scanner.take(":") == 0) return std::nullopt;
  const auto second = scanner.digits(2);
  const auto fraction = scanner.fraction();
  // 60: a leap second, which counts as the next one.
  if (!second || !fraction || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return hours(*hour) + minutes(*minute) + seconds(*second) + *fraction;
}

std::optional<WallTime> wholeTime(std::string_view text) {
  Scanner scanner(text);
  const auto day = date(scanner);
  if (!day || scanner.take("Tt ") == 0) return std::nullopt;
  const auto time = timeOfDay(scanner);
  if (!time) return std::nullopt;
  const auto offset = scanner.offset();
  if (!offset || !scanner.isAtEnd()) return std::nullopt;
  return WallTime(*day) + *time - *offset;
}

/// Whether it can be written again: an offset may move a time out of the years that there are.
bool hasYear(WallTime time) {
  using std::chrono::sys_days;
  using std::chrono::year;
  constexpr sys_days kFirst = year(0) / 1 / 1;
  constexpr sys_days kBehind = year(10'000) / 1 / 1;
  return time >= kFirst && time < kBehind;
}

std::string format(WallTime time, bool micro) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 64> text{};
  const auto written = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  std::string out(text.data(), static_cast<std::size_t>(written));
  if (micro) {
    const auto digits = std::snprintf(text.data(), text.size(), ".%06d",
                                      static_cast<int>(clock.subseconds().count()));
    out.append(text.data(), static_cast<std::size_t>(digits));
  }
  return out + "Z";
}

}  // namespace

WallTime SystemWallClock::now() const {
  return std::chrono::time_point_cast<microseconds>(std::chrono::system_clock::now());
}

std::string toRfc3339(WallTime time) {
  return format(time, false);
}

std::string toRfc3339Micro(WallTime time) {
  return format(time, true);
}

Result<WallTime> parseRfc3339(std::string_view text) {
  const auto time = text.size() <= 64 ? wholeTime(text) : std::nullopt;
  if (!time || !hasYear(*time)) {
    return Error{ErrorCode::kInvalid, "\"" + std::string(text.substr(0, 64)) +
                                          "\" is not a time such as 2026-01-31T12:00:00Z"};
  }
  return *time;
}

}  // namespace sumac
