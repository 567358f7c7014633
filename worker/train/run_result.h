#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/step.h"

namespace sumac::worker {

/// What a finished job tells its user; fields as in result.json (docs/results.md).
struct RunResult {
  Step steps = 0;
  std::int64_t epochs = 0;
  double seconds = 0;  // wall time of this run, from admission to the last step's end
  std::int64_t samples = 0;
  double samples_per_second = 0;  // inside steps, without the warm-up
  double steps_per_second = 0;
  double batches_per_second = 0;     // steps x workers a second: the metric of Jaeger et al. 2018
  std::optional<double> train_loss;  // of the last step; none when a finished job was resumed
  double test_accuracy = 0;
  std::string parameters_sha256;
  int logical_workers = 0;
  int workers = 0;
  int servers = 0;
  std::string numerics;
  std::uint64_t seed = 0;
};

/// As JSON of at most 1,024 bytes: it travels as a pod's termination message.
std::string toJson(const RunResult& result);

/// One line of progress after `step`.
struct ProgressReport {
  Step step = 0;
  Step total_steps = 0;
  std::int64_t epoch = 0;  // from 1
  double loss = 0;
  double learning_rate = 0;
  double gradient_norm = 0;
  double samples_per_second = 0;
  double seconds = 0;
};
std::string toJson(const ProgressReport& report);

struct EvaluationReport {
  Step step = 0;
  std::int64_t epoch = 0;
  double test_accuracy = 0;
  double test_loss = 0;
};
std::string toJson(const EvaluationReport& report);

}  // namespace sumac::worker
