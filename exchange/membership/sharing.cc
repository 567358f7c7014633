#include "exchange/membership/sharing.h"

#include "base/core/check.h"

namespace sumac {

Sharing sharingOf(const job::StrategySpec& strategy) {
  if (strategy.hasServers()) return Sharing::kServers;
  if (strategy.exchange == job::Exchange::kParameterServer) return Sharing::kScatterGather;
  switch (strategy.algorithm) {
    case job::Algorithm::kDirect: return Sharing::kDirect;
    case job::Algorithm::kScatterGather: return Sharing::kScatterGather;
    case job::Algorithm::kHalvingDoubling: return Sharing::kHalvingDoubling;
    case job::Algorithm::kRing: return Sharing::kRing;
    case job::Algorithm::kAuto: break;
  }
  return Sharing::kAuto;
}

Sharing sharingOf(Reduction reduction) {
  switch (reduction) {
    case Reduction::kDirect: return Sharing::kDirect;
    case Reduction::kHalvingDoubling: return Sharing::kHalvingDoubling;
    case Reduction::kRing: return Sharing::kRing;
    case Reduction::kOwner: break;
  }
  return Sharing::kScatterGather;
}

ShardMap share(Sharing sharing, const ExchangePlan& plan, const std::vector<int>& workers,
               const std::vector<int>& servers) {
  SUMAC_CHECK(sharing != Sharing::kAuto);
  if (sharing == Sharing::kServers) return ShardMap::shareOut(plan, Role::kServer, servers);
  if (sharing == Sharing::kHalvingDoubling)
    return ShardMap::alongTheWay(Reduction::kHalvingDoubling, plan, workers);
  if (sharing == Sharing::kRing) return ShardMap::alongTheWay(Reduction::kRing, plan, workers);
  if (sharing == Sharing::kDirect) return ShardMap::direct(plan.ranges.size());
  return ShardMap::shareOut(plan, Role::kWorker, workers);
}

}  // namespace sumac
