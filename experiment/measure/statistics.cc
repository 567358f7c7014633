#include "experiment/measure/statistics.h"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>

#include "common/base/check.h"

namespace sumac::experiment {

double studentQuantile(double probability, int degrees) {
  SUMAC_CHECK(probability > 0 && probability < 1, probability);
  SUMAC_CHECK(degrees >= 1, degrees);
  return boost::math::quantile(boost::math::students_t(degrees), probability);
}

std::optional<double> Estimate::relativeHalfWidth() const {
  if (!half_width || mean == 0) return std::nullopt;
  return *half_width / std::abs(mean);
}

Estimate estimate(std::span<const double> measurements) {
  constexpr double kUpper = 0.975;  // 2.5 % lie above the interval, 2.5 % below
  SUMAC_CHECK(!measurements.empty());
  const auto count = static_cast<double>(measurements.size());
  double sum = 0;
  for (const double value : measurements)
    sum += value;
  Estimate result{static_cast<int>(measurements.size()), sum / count, std::nullopt};
  if (measurements.size() < 2) return result;
  double squares = 0;
  for (const double value : measurements)
    squares += (value - result.mean) * (value - result.mean);
  const double error_of_mean = std::sqrt(squares / (count - 1) / count);
  result.half_width = studentQuantile(kUpper, result.count - 1) * error_of_mean;
  return result;
}

}  // namespace sumac::experiment
