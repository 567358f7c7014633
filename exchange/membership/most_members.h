#pragma once

#include <optional>

#include "job/document/training_job.h"

namespace sumac {

/// How many members a job may ever have. A value type.
struct MostMembers {
  int workers = 1;
  int servers = 1;
  // The number of workers with which the job may begin if no more come; none: it waits for all.
  std::optional<int> least_workers = std::nullopt;

  bool operator==(const MostMembers&) const = default;
};

/// The limits of a job whose members may change while it trains; none if they may not. They may if
/// all of them are started as elastic and the strategy allows it. A worker needs a part, so there
/// are at most V workers; and at most job::kMostPeers, as every two may have a connection, and the
/// roster names where each listens.
std::optional<MostMembers> mostMembers(const job::TrainingJob& job, bool is_elastic);

}  // namespace sumac
