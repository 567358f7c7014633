#include "experiment/measure/statistics.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

#include "base/core/check.h"

namespace sumac::experiment {
namespace {

constexpr double kUpper = 0.975;  // 2.5 % lie above an interval, 2.5 % below

/// The variance of the logarithm of a mean, to first order.
double logVariance(const Estimate& estimate) {
  const double error_of_mean = *estimate.half_width / studentQuantile(kUpper, estimate.count - 1);
  return std::pow(error_of_mean / estimate.mean, 2);
}

}  // namespace

double studentQuantile(double probability, double degrees) {
  SUMAC_CHECK(probability > 0 && probability < 1, probability);
  SUMAC_CHECK(degrees >= 1, degrees);
  return boost::math::quantile(boost::math::students_t(degrees), probability);
}

std::optional<double> Estimate::relativeHalfWidth() const {
  if (!half_width || mean == 0) return std::nullopt;
  return *half_width / std::abs(mean);
}

Estimate estimate(std::span<const double> measurements) {
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

std::optional<Ratio> ratioOf(const Estimate& above, const Estimate& below, double error) {
  SUMAC_CHECK(error > 0 && error < 1, error);
  if (!above.half_width || !below.half_width) return std::nullopt;
  if (!(above.mean > 0) || !(below.mean > 0)) return std::nullopt;
  const double first = logVariance(above);
  const double second = logVariance(below);
  const double ratio = above.mean / below.mean;
  if (first + second <= 0) return Ratio{ratio, ratio, ratio};
  // Welch and Satterthwaite's degrees of freedom.
  const double degrees = std::pow(first + second, 2) /
                         (first * first / (above.count - 1) + second * second / (below.count - 1));
  const double quantile = studentQuantile(1 - error / 2, std::max(degrees, 1.0));
  const double factor = std::exp(quantile * std::sqrt(first + second));
  return Ratio{ratio, ratio / factor, ratio * factor};
}

}  // namespace sumac::experiment
