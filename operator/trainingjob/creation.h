#pragma once

#include "operator/trainingjob/draft.h"

namespace sumac::trainingjob {

/// Why no pods can be made although some are missing: a reason and a sentence.
struct Obstacle {
  std::string reason;
  std::string message;
};

/// What stands in the way of making pods, apart from what the API server says to them.
std::optional<Obstacle> findObstacle(const Draft& draft);

/// Makes what is missing: children, then pods of the attempt. Requires a status that names the
/// attempt; makes no pod while one of an earlier attempt is there.
void create(Draft& draft);

}  // namespace sumac::trainingjob
