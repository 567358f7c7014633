#include "base/report/numbers.h"

#include <algorithm>
#include <cmath>

#include "base/core/check.h"
#include "base/core/units.h"

namespace sumac::report {
namespace {

// A hair of slack: 0.1 / 0.1 must not become 0.2.
constexpr double kSlack = 1e-9;

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
                                                 : groupedText(tick, std::max(0, -power)));
  }
  return texts;
}

std::vector<std::string> tickTexts(const std::vector<double>& ticks) {
  std::vector<std::string> texts;
  if (ticks.empty()) return texts;
  const double step = ticks.size() < 2 ? std::abs(ticks[0]) : ticks[1] - ticks[0];
  const int digits =
      step > 0 ? std::max(0, -static_cast<int>(std::floor(std::log10(step) + kSlack))) : 0;
  texts.reserve(ticks.size());
  for (const double tick : ticks)
    texts.push_back(groupedText(tick, digits));
  return texts;
}

}  // namespace sumac::report
