#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/parallel/estimate.h"
#include "planner/parallel/parallel_case.h"

namespace sumac::planner {

/// What a strategy divides: each member needs one.
enum class PartKind : std::uint8_t {
  kNothing,  // it is what one member does alone
  kNoLayer,  // the network has none that it could divide
  kSamples,  // of a mini-batch
  kLayers,
  kFilters,  // of the layer that has fewest
  kChannels,
  kPositions,
};

struct Parts {
  PartKind of = PartKind::kNothing;
  std::int64_t count = 1;
  std::string layer = {};
};

/// How many members a strategy can use, and of what they are parts: of a hybrid two.
struct MemberLimit {
  std::int64_t most = 1;
  std::vector<Parts> parts = {};
};

/// Why a strategy cannot be used.
enum class Obstacle : std::uint8_t {
  kMembers,   // `found` members; `limit` of `strategy`
  kSegments,  // `found` segments of a mini-batch of `limit.most` samples
  kStages,    // `found` stages are given for `limit.most` members
  kNoGroups,  // `found` members make no groups of several
  kMemory,    // of a member, `memory_bytes`; a mini-batch of `found` samples would fit, 0: none
};

struct Refusal {
  Obstacle obstacle = Obstacle::kMembers;
  std::int64_t found = 0;
  MemberLimit limit = {};
  Strategy strategy = Strategy::kSerial;  // or that inside the groups of a hybrid
  double memory_bytes = 0;
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
std::optional<Refusal> brokenLimit(const ParallelCase& question, Strategy strategy,
                                   const Grid& grid);

}  // namespace sumac::planner
