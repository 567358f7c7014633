#include "planner/autoscaling/useful_sizes.h"

#include <algorithm>
#include <cstdint>

#include "base/core/check.h"

namespace sumac::autoscaling {

int busiestParts(int parts, int workers) {
  SUMAC_CHECK(parts >= 1 && workers >= 1, parts, workers);
  return 1 + (parts - 1) / workers;
}

int partsAt(int position, int workers, int parts) {
  SUMAC_CHECK(0 <= position && position < workers && workers <= parts, position, workers, parts);
  const auto begin = [&](std::int64_t of) { return of * parts / workers; };
  return static_cast<int>(begin(position + 1) - begin(position));
}

int smallestAsFast(int parts, int workers, int fewest) {
  return std::max(fewest, busiestParts(parts, busiestParts(parts, workers)));
}

std::vector<int> usefulSizes(int parts, int fewest, int most) {
  SUMAC_CHECK(fewest <= most, fewest, most);
  std::vector<int> sizes = {fewest};
  for (int busiest = busiestParts(parts, fewest); busiest > 1;) {
    const int size = busiestParts(parts, busiest - 1);
    if (size > most) break;
    sizes.push_back(size);
    busiest = busiestParts(parts, size);
  }
  return sizes;
}

}  // namespace sumac::autoscaling
