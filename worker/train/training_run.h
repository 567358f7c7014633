#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/wall_time.h"
#include "common/log/log.h"
#include "common/progress/job_result.h"
#include "worker/data/prefetcher.h"
#include "worker/exchange/exchange_client.h"
#include "worker/nn/engine.h"
#include "worker/train/block_gradient.h"
#include "worker/train/evaluator.h"
#include "worker/train/reporter.h"
#include "worker/train/state.h"
#include "worker/train/step_timer.h"
#include "worker/train/surroundings.h"
#include "worker/train/training_setup.h"

namespace sumac::worker {

/// One worker's training, from admission to its end. Owned by the trainer's thread.
class TrainingRun {
 public:
  /// The references outlive us. The engine takes largestBatch() samples
  /// (worker/memory/memory_need.h).
  TrainingRun(const TrainingSetup& setup, ExchangeClient& exchange, Start start,
              const Compute& compute, const Surroundings& surroundings);
  /// Nothing of ours is read any more.
  ~TrainingRun() { exchange_.close(); }
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;

  /// Makes or restores what the first step needs.
  Result<void> begin();
  /// Requires begin().
  ProcessEnd run();

 private:
  /// Computes and exchanges one step; the outcome when the job ends in it.
  std::optional<ProcessEnd> step(Step step);
  std::optional<ProcessEnd> apply(Step step, std::span<const float> sums);
  std::optional<ProcessEnd> afterStep(Step step);
  void publish(Step step);
  void makeEvaluators();
  void evaluate(Step step, bool at_end);
  /// Tells the coordinator the CRC of the weights after `step`, once.
  void reportWeights(Step step);
  /// Complete only when all workers that answer have the same weights. Returns how the job ends if
  /// it does.
  std::optional<ProcessEnd> writeCheckpoint(Step step);
  bool isCheckpointDue(Step step) const;
  ProcessEnd stop(Step step);
  ProcessEnd finish();
  ProcessEnd failed(const Error& error);
  ProcessEnd diverged(const std::string& what, Step step);
  JobResult result();
  void putScores(JobResult& result) const;
  /// Opens metrics.jsonl and takes an older result away.
  Result<void> beginOutput(bool from_the_beginning);
  /// Of a step's sums to the loss that people compare.
  double meanLoss(float sum) const;

  const TrainingBatches& batches() const { return prefetcher_.batches(); }
  const job::TrainingSpec& training() const { return setup_.job.training; }

  const TrainingSetup& setup_;             // outlives us
  ExchangeClient& exchange_;               // outlives us
  const Clock& clock_;                     // outlives us
  const WallClock& wall_clock_;            // outlives us
  const Log& log_;                         // outlives us
  Published<TrainerSnapshot>& published_;  // outlives us
  Start start_;
  WallTime started_;
  Compute compute_;
  Prefetcher prefetcher_;
  Step total_steps_;
  BlockGradient block_;
  TrainingState state_;
  StepTimer timer_;
  Reporter reporter_;
  std::optional<Evaluator> valid_;  // of text
  std::optional<Evaluator> test_;
  std::vector<float> mean_statistics_;
  bool lowest_;
  Incarnation writer_;  // of checkpoints
  float loss_scale_;
  Step first_step_ = 1;
  StepOutcome last_;
  TrainerSnapshot snapshot_;
  Scores scores_;
  Step evaluated_step_ = -1;
  Step reported_step_ = -1;  // of the weights
};

}  // namespace sumac::worker
