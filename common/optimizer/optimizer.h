#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/step.h"
#include "common/job/training_job.h"
#include "common/kernels/kernels.h"

namespace sumac {

/// The learning rate of a step: pure, steps from 1.
double learningRate(const job::OptimizerSpec& optimizer, const job::ScheduleSpec& schedule,
                    Step step, Step steps_per_epoch);

/// Turns the sum of all gradients into new weights: the same bits in every process and every kernel
/// variant. Owned by one thread.
class Optimizer {
 public:
  struct Options {
    job::OptimizerSpec optimizer;
    job::ScheduleSpec schedule;
    std::optional<double> clip_global_norm;
    Step steps_per_epoch = 1;
  };

  Optimizer(const Options& options, const Kernels& kernels, std::int64_t parameters);

  /// What one update did; for progress and metrics.
  struct Update {
    double gradient_norm = 0;  // before clipping; not finite when an overflow spoils the update
    double learning_rate = 0;
  };

  /// w_out = update of w_in by `gradient` (all of plan order). w_out may be w_in.
  Update apply(Step step, std::span<const float> gradient, std::span<const float> w_in,
               std::span<float> w_out);

  /// For checkpoints: name of each state vector -> values in plan order.
  std::map<std::string, std::vector<float>> state() const;
  /// Fails with kConflict when the vectors are not this optimizer's.
  Result<void> restore(const std::map<std::string, std::vector<float>>& state);

 private:
  Options options_;
  Kernels kernels_;
  std::vector<float> velocity_;
};

}  // namespace sumac
