#pragma once

#include <optional>
#include <span>

namespace sumac::experiment {

/// The value that a variable with Student's t distribution stays below with `probability`. Requires
/// 0 < probability < 1 and degrees of freedom >= 1.
double studentQuantile(double probability, int degrees);

/// The mean of independent measurements.
struct Estimate {
  int count = 0;
  double mean = 0;
  /// Half the width of the 95 % interval of the mean (Student's t); nothing for one measurement.
  std::optional<double> half_width;

  /// `half_width` as a share of the mean; nothing where it is not known or the mean is 0.
  std::optional<double> relativeHalfWidth() const;
};

/// Requires at least one measurement.
Estimate estimate(std::span<const double> measurements);

}  // namespace sumac::experiment
