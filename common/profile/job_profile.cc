#include "common/profile/job_profile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "common/base/check.h"

namespace sumac {
namespace {

/// The value that so large a share of `sorted` is below.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

Timing timingOf(std::vector<double> seconds) {
  SUMAC_CHECK(!seconds.empty());
  constexpr double kLower = 0.25;
  constexpr double kMiddle = 0.5;
  constexpr double kUpper = 0.75;
  std::ranges::sort(seconds);
  return {quantile(seconds, kMiddle), quantile(seconds, kLower), quantile(seconds, kUpper)};
}

double LayerProfile::weightGradientSeconds() const {
  double seconds = 0;
  for (const TensorProfile& tensor : tensors)
    seconds += tensor.gradient_seconds;
  return seconds;
}

}  // namespace sumac
