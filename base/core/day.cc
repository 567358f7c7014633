#include "base/core/day.h"

#include <charconv>
#include <chrono>
#include <cstddef>

namespace sumac {

bool looksLikeDay(std::string_view text) {
  constexpr std::string_view kShape = "20nn-nn-nn";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'n' ? !is_digit : text[i] != kShape[i]) return false;
  }
  return true;
}

bool isDay(std::string_view text) {
  if (!looksLikeDay(text)) return false;
  const auto number = [text](std::size_t begin, std::size_t length) {
    unsigned value = 0;
    std::from_chars(text.data() + begin, text.data() + begin + length, value);
    return value;
  };
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(number(0, 4))),
                                         std::chrono::month(number(5, 2)),
                                         std::chrono::day(number(8, 2)));
  return date.ok();
}

}  // namespace sumac
