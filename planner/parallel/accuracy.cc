#include "planner/parallel/accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace sumac::planner {

Result<double> projectionAccuracy(double projected, double measured) {
  const bool is_right =
      std::isfinite(projected) && std::isfinite(measured) && projected >= 0 && measured > 0;
  if (!is_right)
    return Error{ErrorCode::kInvalid, "accuracy of a projected " + std::to_string(projected) +
                                          " s, measured " + std::to_string(measured) +
                                          " s: both must be finite, and measured above 0"};
  return 1 - std::abs(projected - measured) / measured;
}

std::vector<int> ranksOf(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  std::vector<int> ranks;
  ranks.reserve(values.size());
  for (const double value : values)
    ranks.push_back(static_cast<int>(std::ranges::lower_bound(sorted, value) - sorted.begin()) + 1);
  return ranks;
}

Result<double> rankAgreement(std::span<const double> projected, std::span<const double> measured) {
  if (projected.size() != measured.size())
    return Error{ErrorCode::kInvalid, "rank agreement of " + std::to_string(projected.size()) +
                                          " projected and " + std::to_string(measured.size()) +
                                          " measured times: give as many"};
  const auto is_number = [](double value) { return !std::isnan(value); };
  if (!std::ranges::all_of(projected, is_number) || !std::ranges::all_of(measured, is_number))
    return Error{ErrorCode::kInvalid, "rank agreement of times of which one is not a number"};
  double pairs = 0;
  double agreeing = 0;
  for (std::size_t i = 0; i < projected.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool is_opposite = (projected[i] < projected[j] && measured[i] > measured[j]) ||
                               (projected[i] > projected[j] && measured[i] < measured[j]);
      ++pairs;
      if (!is_opposite) ++agreeing;
    }
  }
  return pairs > 0 ? agreeing / pairs : 1;
}

}  // namespace sumac::planner
