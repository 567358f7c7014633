#pragma once

#include <span>
#include <vector>

namespace sumac {

/// The value that so large a share of `sorted` lies below; between two of them in proportion.
/// Requires at least one value, and 0 <= share <= 1.
double quantile(std::span<const double> sorted, double share);

/// The one in the middle; of an even number the mean of the two in the middle. Requires at least
/// one value.
double median(std::vector<double> values);

}  // namespace sumac
