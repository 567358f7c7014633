#pragma once

#include <optional>

#include "operator/trainingjob/policy/creation.h"

namespace sumac::trainingjob {

/// Whether the spec's problem ends the job, with reason InvalidSpec: only before the job has begun,
/// and not because its document is newer than this operator, which the next one may know.
/// A rule of a newer operator must not end a job that runs, and a template that was spoilt while
/// the job was suspended can be corrected.
bool endsJob(const Draft& draft);

/// What the spec has that prevents the creation of pods: a reason and the whole message.
std::optional<Obstacle> specObstacle(const Draft& draft);

}  // namespace sumac::trainingjob
