#pragma once

#include <cstdint>
#include <optional>

#include "base/core/wall_time.h"
#include "job/progress/progress.h"
#include "planner/autoscaling/job_sizer.h"

namespace sumac::trainingjob {

/// Of a job that sizes itself, what one operator has seen beside what its status keeps. A value
/// type. Lost, it costs the time for which a size is observed.
struct Sizing {
  /// A report of steps, and who did them.
  struct Report {
    int attempt = 0;
    std::uint32_t term = 0;
    std::uint32_t generation = 0;
    Progress progress;
    WallTime at;
  };

  autoscaling::SizedJob job;
  autoscaling::SizingCourse course;
  std::optional<WallTime> change;  // status.autoscaling.lastChangeTime that `course` belongs to
  std::optional<Report> before;    // the last one that was taken into account
  double paused = 0;               // seconds since the last change for which it stopped training
};

}  // namespace sumac::trainingjob
