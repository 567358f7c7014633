#pragma once

#include <optional>

#include "job/document/training_job.h"

namespace sumac {

/// How many members a job may ever have. A value type.
struct MostMembers {
  int workers = 1;
  int servers = 1;
  // With how many workers it may begin where the others do not come; none: all are awaited.
  std::optional<int> least_workers = std::nullopt;

  bool operator==(const MostMembers&) const = default;
};

/// Of a job whose members may change while it trains; none: those of this one may not. They may
/// where all of them are started as elastic and the strategy allows it. A worker needs a part, so
/// there are at most V; and as every two may have a connection, and the roster names where each
/// listens, at most job::kMostPeers.
std::optional<MostMembers> mostMembers(const job::TrainingJob& job, bool is_elastic);

}  // namespace sumac
