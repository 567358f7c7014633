#pragma once

#include <optional>
#include <span>

namespace sumac::experiment {

/// The value that a variable with Student's t distribution stays below with `probability`. Requires
/// 0 < probability < 1 and degrees of freedom >= 1.
double studentQuantile(double probability, double degrees);

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

/// A ratio of two means with its interval.
struct Ratio {
  double value = 1;
  double low = 1;
  double high = 1;
};

/// The ratio of two positive means. The interval leaves it out with probability `error`: that of
/// the difference of the means' logarithms (Welch's t), so that it does not depend on which of the
/// two is below. Nothing where the spread of one is not known, or a mean is not positive.
std::optional<Ratio> ratioOf(const Estimate& above, const Estimate& below, double error);

}  // namespace sumac::experiment
