#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planner/parallel/estimate.h"
#include "planner/parallel/parallel_case.h"

namespace sumac::planner {

/// How many members a strategy can use, and why no more.
struct MemberLimit {
  std::int64_t most = 1;
  std::string reason;
};

/// The last column of the table of Kahira et al. 2021, table of costs:
///
///   serial 1 · data B · spatial min of W_l H_l over the layers that it divides · layer and
///   pipeline G · filter min F_l · channel min C_l from the second layer on · data+filter B min F_l
///   · data+spatial B min W_l H_l
///
/// F and C are those of the layers whose weights are divided. Requires a checked case.
MemberLimit memberLimit(const ParallelCase& question, Strategy strategy);

/// Why the strategy cannot run on this grid; nothing: it can. A hybrid is bound in both directions:
/// p1 <= B, and p2 as its inner strategy. Requires a checked case and a grid of positive numbers.
std::optional<std::string> brokenLimit(const ParallelCase& question, Strategy strategy,
                                       const Grid& grid);

}  // namespace sumac::planner
