#pragma once

#include <string>

namespace sumac::planner {

/// The numbers of workers that a job may have.
struct WorkerSizes {
  int parts = 1;    // V
  int workers = 1;  // as it has them
  int least = 1;    // its bounds; as `workers` where it has none
  int most = 1;
};

/// Which of a job's sizes are as fast as a smaller one, without a period: "5 workers are as fast as
/// 4: ..."; of a job with bounds all that differ. Empty where every size is faster than those
/// below, and for numbers that no job has. Pure.
std::string sizesText(const WorkerSizes& sizes);

}  // namespace sumac::planner
