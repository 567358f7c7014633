#pragma once

#include <vector>

#include "exchange/membership/shard_map.h"
#include "job/document/training_job.h"

namespace sumac {

/// Who sums, as a job asks for it.
enum class Sharing {
  kServers,          // servers in processes of their own
  kScatterGather,    // each worker its ranges: also what decentralised servers do
  kDirect,           // every worker everything
  kAuto,             // kDirect, kScatterGather or kHalvingDoubling (algorithm.h)
  kHalvingDoubling,  // each worker its ranges, which others have added up before
  kRing,             // the same
};

Sharing sharingOf(const job::StrategySpec& strategy);

/// Where workers sum.
Sharing sharingOf(Reduction reduction);

/// The shard map of a first roster with these members, by index. Requires a member that may sum,
/// and that kAuto has been decided.
ShardMap share(Sharing sharing, const ExchangePlan& plan, const std::vector<int>& workers,
               const std::vector<int>& servers);

}  // namespace sumac
