#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/checkpoint/checkpoint.h"
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
  std::optional<checkpoint::State> newest;  // read already: what this worker can go on from
  std::filesystem::path checkpoint_folder;
  std::filesystem::path output_folder;
  std::string plan_hash;
};

/// "avx512/0.1.0": what fixes the bits besides the job. Stands in checkpoints and results.
std::string numericsId(KernelVariant variant);

/// Trains until the job ends for this worker: computes, exchanges, updates; the lowest worker also
/// evaluates, reports and writes checkpoints. Runs on the calling thread; returns when the
/// coordinator has spoken or is gone.
End train(const TrainingSetup& setup, ExchangeClient& exchange, const Clock& clock, const Log& log);

}  // namespace sumac::worker
