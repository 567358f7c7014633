#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/step.h"
#include "worker/train/evaluator.h"

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
  double data_wait_seconds = 0;      // that the trainer has waited for samples
  bool is_text = false;
  Scores scores;
  std::string parameters_sha256;
  int logical_workers = 0;
  int workers = 0;
  int servers = 0;
  std::string numerics;
  std::uint64_t seed = 0;
};

/// As JSON of at most 1,024 bytes: it travels as a pod's termination message.
std::string toJson(const RunResult& result);

struct EvaluationReport {
  Step step = 0;
  std::int64_t epoch = 0;
  bool is_text = false;
  Scores scores;
};
std::string toJson(const EvaluationReport& report);

}  // namespace sumac::worker
