#pragma once

#include <string>

#include "kube/api/training_job.h"
#include "planner/autoscaling/job_sizer.h"
#include "planner/report/autoscaling_words.h"

namespace sumac::trainingjob {

/// Pauses of changes beyond this are of a wrong clock, or of somebody's hand.
inline constexpr double kLongestChange = 3600;

/// From `origin`, when the job's own clock began.
double secondsSince(WallTime origin, WallTime time);

/// The course that a status tells of: of a job whose present size nobody has observed yet. Total:
/// whatever somebody wrote there, observe() and decide() can read it.
autoscaling::SizingCourse courseOf(const api::AutoscalingStatus& status, WallTime origin,
                                   WallTime now);

/// Puts into the status what the next operator needs of a course.
void keepCourse(api::AutoscalingStatus& status, const autoscaling::SizingCourse& course,
                WallTime origin);

/// status.autoscaling.message: "saves 40 s until the end; a step takes 0.05 s (predicted)".
std::string messageOf(const planner::SizeDecision& made);

}  // namespace sumac::trainingjob
