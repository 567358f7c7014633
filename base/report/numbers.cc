#include "base/report/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/core/check.h"

namespace sumac::page {
namespace {

// A hair of slack: 0.1 / 0.1 must not become 0.2.
constexpr double kSlack = 1e-9;

/// Puts commas between the thousands of "-1234.5".
std::string grouped(const std::string& text) {
  constexpr std::size_t kGroup = 3;
  const auto begin = text.find_first_of("0123456789");
  if (begin == text.npos) return text;  // no number, but "inf" or "nan"
  const auto end = std::min(text.find('.'), text.size());
  std::string out = text.substr(0, begin);
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin && (end - i) % kGroup == 0) out += ',';
    out += text[i];
  }
  return out + text.substr(end);
}

}  // namespace

std::vector<double> ticks(double low, double high, int wanted) {
  SUMAC_CHECK(low < high, low, high);
  const double raw = (high - low) / std::max(wanted, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * (1 - kSlack)) {
      step = factor * power;
      break;
    }
  }
  const auto first = static_cast<long>(std::floor(low / step + kSlack));
  const auto last = static_cast<long>(std::ceil(high / step - kSlack));
  std::vector<double> marks;
  for (long i = first; i <= last; ++i)
    marks.push_back(static_cast<double>(i) * step);
  return marks;
}

std::vector<double> logarithmicTicks(double low, double high) {
  constexpr int kMostTicks = 8;
  SUMAC_CHECK(low > 0 && low <= high && std::isfinite(high), low, high);
  const int first = static_cast<int>(std::floor(std::log10(low) + kSlack));
  const int last = std::max(static_cast<int>(std::ceil(std::log10(high) - kSlack)), first + 1);
  const int decades = last - first;
  const bool has_few = decades <= 2;
  const int stride = 1 + (decades - 1) / kMostTicks;
  std::vector<double> marks;
  for (int power = first; power < last + stride; power += stride) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor == 1 || (has_few && power < last)) marks.push_back(factor * std::pow(10.0, power));
    }
  }
  // Of the ends no more than the values need.
  while (marks.size() > 2 && marks[1] <= low)
    marks.erase(marks.begin());
  while (marks.size() > 2 && marks[marks.size() - 2] >= high)
    marks.pop_back();
  return marks;
}

std::vector<std::string> logarithmicTickTexts(const std::vector<double>& ticks) {
  std::vector<std::string> texts;
  texts.reserve(ticks.size());
  for (const double tick : ticks) {
    constexpr int kMostPower = 9;
    const int power = static_cast<int>(std::floor(std::log10(tick) + kSlack));
    texts.push_back(std::abs(power) > kMostPower ? "1e" + std::to_string(power)
                                                 : fixed(tick, std::max(0, -power)));
  }
  return texts;
}

std::string fixed(double value, int digits) {
  char text[352];  // the largest double has 309 digits before the point
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return grouped(text);
}

std::string readable(double value) {
  constexpr int kDigits = 4;
  constexpr int kMostDecimals = 9;
  if (value == 0 || !std::isfinite(value)) return fixed(value, 0);
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fixed(value, std::clamp(kDigits - std::max(before_point, 1), 0, kMostDecimals) +
                          std::clamp(-before_point, 0, kMostDecimals - kDigits));
}

std::vector<std::string> tickTexts(const std::vector<double>& ticks) {
  std::vector<std::string> texts;
  if (ticks.empty()) return texts;
  const double step = ticks.size() < 2 ? std::abs(ticks[0]) : ticks[1] - ticks[0];
  const int digits =
      step > 0 ? std::max(0, -static_cast<int>(std::floor(std::log10(step) + kSlack))) : 0;
  texts.reserve(ticks.size());
  for (const double tick : ticks)
    texts.push_back(fixed(tick, digits));
  return texts;
}

}  // namespace sumac::page
