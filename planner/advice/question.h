#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "job/document/training_job.h"
#include "job/model/network.h"
#include "job/profile/job_profile.h"
#include "planner/advice/machine_type.h"
#include "planner/convolution_choice/given_costs.h"

namespace sumac::planner {

/// What the best configuration has least of: time, money, or compute that is lost.
enum class PlanGoal : std::uint8_t { kTime, kCost, kEfficiency };

/// "time", "cost", "efficiency".
std::string_view toString(PlanGoal goal);

/// How noisy the gradient is, in samples, with its 95 % interval.
struct NoiseFigure {
  Figure samples;
  std::optional<double> low;
  std::optional<double> high;
};

/// What to answer, all of it checked and read. A value type.
struct AdviceQuestion {
  job::TrainingJob job;
  model::Network network;
  JobProfile profile;                   // of this network and optimizer
  double steps = 0;                     // of the job as written
  std::optional<std::int64_t> samples;  // of an epoch: no mini-batch is larger; nothing: not known
  std::optional<std::int64_t> data_bytes;  // that each worker reads; nothing: not known
  std::optional<NoiseFigure> noise;
  Placement place = Placement::kMachines;
  std::optional<MachineType> machine;           // of kMachines; nothing: as the profiled one
  std::optional<Figure> link_bytes_per_second;  // over the machine's; nothing: not limited
  std::optional<Figure> hop_seconds;            // latency of links, over the machine's
  std::optional<Figure> member_bytes;           // of memory; nothing: the machine's
  std::optional<double> worker_cores;           // limits.cpu of the job's own pods; nothing: none
  std::optional<Figure> worker_bytes;           // limits.memory of the same
  std::optional<GivenCosts> convolutions;       // costs of their algorithms; nothing: not asked
  PlanGoal goal = PlanGoal::kTime;
  std::optional<double> deadline_seconds;
  std::optional<double> budget;  // in the price's currency
  int least_workers = 1;
  int most_workers = 1024;
};

}  // namespace sumac::planner
