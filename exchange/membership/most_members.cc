#include "exchange/membership/most_members.h"

namespace sumac {

std::optional<MostMembers> mostMembers(const job::TrainingJob& job, bool is_elastic) {
  const job::StrategySpec& strategy = job.strategy;
  const bool may_change = is_elastic && strategy.codec == Codec::kFp32 &&
                          strategy.method != ExchangeMethod::kRing &&
                          strategy.consistency == job::Consistency::kSynchronous;
  if (!may_change) return std::nullopt;
  return MostMembers{.workers = static_cast<int>(job.training.logical_workers),
                     .servers = job.server.replicas};
}

}  // namespace sumac
