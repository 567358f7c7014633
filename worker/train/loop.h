#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/exit_code.h"
#include "common/base/result.h"
#include "common/job/training_job.h"
#include "common/kernels/kernels.h"
#include "common/log/log.h"
#include "common/model/network.h"
#include "common/plan/exchange_plan.h"
#include "worker/data/dataset.h"
#include "worker/exchange/exchange_client.h"

namespace sumac::worker {

/// Everything that is known before the worker is let in.
struct TrainingSetup {
  job::TrainingJob job;
  model::Network network;
  Dataset dataset;
  ExchangePlan plan;
  int index = 0;  // of this worker
  std::filesystem::path checkpoint_folder;
  std::filesystem::path output_folder;
  std::string plan_hash;
};

/// How the worker's process is to end.
struct Outcome {
  ExitCode code = ExitCode::kDone;
  std::string reason;
};

/// "avx512/0.1.0": what fixes the bits besides the job. Stands in checkpoints and results.
std::string numericsId(KernelVariant variant);

/// Trains until the job ends for this worker: computes, exchanges, updates; the lowest worker also
/// evaluates, reports and writes checkpoints. Runs on the calling thread; returns when the
/// coordinator has spoken or is gone.
Outcome train(const TrainingSetup& setup, ExchangeClient& exchange, const Clock& clock,
              const Log& log);

}  // namespace sumac::worker
