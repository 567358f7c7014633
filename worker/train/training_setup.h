#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/core/result.h"
#include "base/log/log.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/data/batches.h"
#include "engine/data/dataset.h"
#include "exchange/client/exchange_client.h"
#include "exchange/plan/exchange_plan.h"
#include "job/document/training_job.h"
#include "job/model/network.h"
#include "kernels/kernels.h"
#include "worker/train/worker_process.h"

namespace sumac::worker {

/// Everything that is known before the worker joins. Does not change afterwards.
struct TrainingSetup {
  job::TrainingJob job;
  int index = 0;  // of this worker
  Dataset dataset;
  model::Network network;
  ExchangePlan plan;
  std::string plan_text;   // the lines that all workers must share
  std::string plan_lines;  // those of them that fix the bits
  std::string plan_hash;   // of plan_lines: stands in checkpoints
  // The checkpoint to resume from, and its step. Where members change, only worker 0 has read it:
  // the others get its state from who reads it.
  std::optional<checkpoint::Origin> newest;
  Step newest_step = 0;  // 0: there is none
  std::optional<checkpoint::State> newest_state;
  std::filesystem::path checkpoint_folder;
  std::string checkpoint_owner;  // as in checkpoint::WriteOptions; empty: not known
  bool changes = false;          // members may, while the job trains
  std::string job_uid;           // of the TrainingJob; empty: not known
  std::uint64_t attempt = 0;
  std::filesystem::path output_folder;
  bool writes_tensorboard = false;    // there
  std::optional<RosterOrder> volume;  // as in JoinRequest
  int spare_cores = 0;                // that compute threads leave to others (processors.h)
  bool stays_awake = false;           // while it waits for a moment (processors.h)
  Emulation emulation;

  bool isText() const { return dataset.kind() == DataKind::kText; }
  /// Whether training is watched on a validation split, and the test split measured at its end.
  bool isValidated() const { return isText() || dataset.images.validation.count() > 0; }
  /// Vocabulary of the data; 0 for images.
  int vocabulary() const { return static_cast<int>(dataset.text.vocabulary.size()); }
  TrainingBatches::Options batchOptions() const;
  /// Of the whole job.
  Step totalSteps() const;
};

/// Reads the data of `job` and the newest checkpoint, and checks that they fit together. Otherwise
/// returns how this worker ends: kFailed when files are damaged, else kBadConfiguration.
std::variant<TrainingSetup, ProcessEnd> prepareTraining(const WorkerOptions& options,
                                                        job::TrainingJob job, const Log& log);

/// The kernel variants to offer, slowest first: what the machine has, the job wants and, when
/// resuming, the checkpoint was made with.
Result<std::vector<std::string>> offeredKernels(const WorkerOptions& options,
                                                const TrainingSetup& setup);

/// Whether the checkpoint of `step`, which has `plan_hash`, belongs to this job and its data. Fails
/// with kConflict; names what differs if `plan_lines` are those that were hashed.
Result<void> checkPlanHash(const TrainingSetup& setup, Step step, const std::string& plan_hash,
                           const std::string& plan_lines = {});

/// "avx512/1": kernel variant and numerics number (exchange/plan/numerics.h), which fix the bits
/// besides the job. Stands in checkpoints and results.
std::string numericsId(KernelVariant variant);

}  // namespace sumac::worker
