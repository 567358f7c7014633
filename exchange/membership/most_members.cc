#include "exchange/membership/most_members.h"

#include <algorithm>

#include "job/document/limits.h"

namespace sumac {

std::optional<MostMembers> mostMembers(const job::TrainingJob& job, bool is_elastic) {
  if (!is_elastic || !job.canChangeMembers()) return std::nullopt;
  const int parts = static_cast<int>(job.training.logical_workers);
  return MostMembers{.workers = std::min(parts, job::kMostPeers),
                     .servers = job.server.replicas,
                     .least_workers = job.worker.min_replicas};
}

}  // namespace sumac
