#pragma once

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// Why missing pods cannot be created: a reason and a message.
struct Obstacle {
  std::string reason;
  std::string message;
};

/// What prevents the creation of pods, apart from rejections by the API server.
std::optional<Obstacle> findObstacle(const Draft& draft);

/// Decides on the creation of missing children, then of missing pods of the attempt that the status
/// names. Creates no pod while pods of earlier attempts exist, or of another one of the same name.
void create(Draft& draft);

}  // namespace sumac::trainingjob
