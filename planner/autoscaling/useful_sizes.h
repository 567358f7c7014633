#pragma once

#include <vector>

namespace sumac::autoscaling {

/// The parts of the worker that has most of them, ceil(V/N). The others wait for it, so computing
/// takes less time only where this number falls. Requires parts, workers >= 1.
int busiestParts(int parts, int workers);

/// The parts of the worker at this position of so many, from 0: the first one never has more than
/// another. Requires 0 <= position < workers <= parts.
int partsAt(int position, int workers, int parts);

/// The fewest workers, but not below `fewest`, whose busiest one has no more parts than that of
/// `workers`: larger sizes up to `workers` cost more and are no faster. Requires fewest <= workers.
int smallestAsFast(int parts, int workers, int fewest = 1);

/// The sizes worth choosing, in order: `fewest`, and each size up to `most` where busiestParts()
/// falls. V = 8 has 1, 2, 3, 4, 8. At most 2 sqrt(V) of them. Requires 1 <= fewest <= most.
std::vector<int> usefulSizes(int parts, int fewest, int most);

}  // namespace sumac::autoscaling
