#pragma once

#include <optional>

#include "job/document/training_job.h"

namespace sumac {

/// How many members a job may ever have. A value type.
struct MostMembers {
  int workers = 1;
  int servers = 1;

  bool operator==(const MostMembers&) const = default;
};

/// Of a job whose members may change while it trains; none: those of this one may not. They may
/// where all of them are started as elastic and the bits of a sum do not depend on who computes it:
/// with fp32, not in a ring, and all workers together in each step. A worker needs a part, so there
/// are at most V.
std::optional<MostMembers> mostMembers(const job::TrainingJob& job, bool is_elastic);

}  // namespace sumac
