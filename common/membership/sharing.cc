#include "common/membership/sharing.h"

namespace sumac {
namespace {

// To send it all to a few more peers takes no longer than another message.
constexpr std::int64_t kSmallVector = 64 * 1024 / 4;  // values

}  // namespace

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

bool isDirect(Sharing sharing, const ExchangePlan& plan, std::size_t workers) {
  if (sharing != Sharing::kAuto) return sharing == Sharing::kDirect;
  return workers <= 2 || plan.values <= kSmallVector;
}

ShardMap share(Sharing sharing, const ExchangePlan& plan, const std::vector<int>& workers,
               const std::vector<int>& servers) {
  if (sharing == Sharing::kServers) return ShardMap::shareOut(plan, Role::kServer, servers);
  if (sharing == Sharing::kHalvingDoubling)
    return ShardMap::alongTheWay(Reduction::kHalvingDoubling, plan, workers);
  if (sharing == Sharing::kRing) return ShardMap::alongTheWay(Reduction::kRing, plan, workers);
  if (isDirect(sharing, plan, workers.size())) return ShardMap::direct(plan.ranges.size());
  return ShardMap::shareOut(plan, Role::kWorker, workers);
}

}  // namespace sumac
