#include "base/core/rounded.h"

#include <cmath>

namespace sumac {

double rounded(double value) {
  if (value == 0) return 0;  // without a sign
  if (!std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::fabs(value))));
  if (!std::isfinite(scale)) return value;  // below 1e-303
  return std::round(value * scale) / scale;
}

}  // namespace sumac
