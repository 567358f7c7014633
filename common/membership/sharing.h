#pragma once

#include <cstddef>
#include <vector>

#include "common/job/training_job.h"
#include "common/membership/shard_map.h"

namespace sumac {

/// Who sums, as a job asks for it.
enum class Sharing {
  kServers,          // servers in processes of their own
  kScatterGather,    // each worker its ranges: also what decentralised servers do
  kDirect,           // every worker everything
  kAuto,             // kDirect or kScatterGather
  kHalvingDoubling,  // each worker its ranges, which others have added up before
  kRing,             // the same
};

Sharing sharingOf(const job::StrategySpec& strategy);

/// Whether every one of so many workers sums everything. kAuto does where that costs one step of
/// latency less and no more bytes, or few: to one peer, or of a small vector.
bool isDirect(Sharing sharing, const ExchangePlan& plan, std::size_t workers);

/// The shard map of a first roster with these members, by index. Requires a member that may sum.
ShardMap share(Sharing sharing, const ExchangePlan& plan, const std::vector<int>& workers,
               const std::vector<int>& servers);

}  // namespace sumac
