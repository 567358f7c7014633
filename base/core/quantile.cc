#include "base/core/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/core/check.h"

namespace sumac {

double quantile(std::span<const double> sorted, double share) {
  SUMAC_CHECK(!sorted.empty() && share >= 0 && share <= 1, sorted.size(), share);
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

double median(std::vector<double> values) {
  constexpr double kMiddle = 0.5;
  std::ranges::sort(values);
  return quantile(values, kMiddle);
}

}  // namespace sumac
