#include "exchange/membership/most_members.h"

#include <algorithm>

#include "job/document/limits.h"

namespace sumac {

std::string fixedMembersCause(const job::TrainingJob& job) {
  const job::StrategySpec& strategy = job.strategy;
  if (strategy.codec != Codec::kFp32) {
    return "spec.strategy.codec is " + std::string(toString(strategy.codec)) +
           ", with which the bits depend on the number of workers";
  }
  if (strategy.method == ExchangeMethod::kRing)
    return "spec.strategy.algorithm is ring, where the bits depend on the number of workers";
  if (strategy.consistency != job::Consistency::kSynchronous)
    return "spec.strategy.consistency is not synchronous";
  if (job.worker.replicas > job::kMostPeers)
    return "spec.worker.replicas is above " + std::to_string(job::kMostPeers);
  return {};
}

std::optional<MostMembers> mostMembers(const job::TrainingJob& job, bool is_elastic) {
  if (!is_elastic || !job.canChangeMembers()) return std::nullopt;
  const int parts = static_cast<int>(job.training.logical_workers);
  return MostMembers{.workers = std::min(parts, job::kMostPeers),
                     .servers = job.server.replicas,
                     .least_workers = job.worker.min_replicas};
}

}  // namespace sumac
