#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/wall_time.h"
#include "base/log/log.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/data/prefetcher.h"
#include "engine/nn/engine.h"
#include "exchange/client/exchange_client.h"
#include "exchange/course/reporter.h"
#include "exchange/course/step_timer.h"
#include "exchange/course/training_course.h"
#include "exchange/course/writer_fence.h"
#include "job/progress/job_result.h"
#include "worker/train/evaluations.h"
#include "worker/train/state.h"
#include "worker/train/step_exchange.h"
#include "worker/train/stint.h"
#include "worker/train/surroundings.h"
#include "worker/train/training_setup.h"

namespace sumac::worker {

/// One worker's training, from admission to its end, through all rosters: carries out what
/// TrainingCourse decides, with the engine, files and the other members. Owned by the trainer's
/// thread.
class TrainingRun final : private StepExchange::Owner {
 public:
  /// The references outlive us.
  TrainingRun(const TrainingSetup& setup, ExchangeClient& exchange, Start start,
              const Kernels& kernels, ComputePool& pool, const Surroundings& surroundings);
  /// Nothing of ours is read any more.
  ~TrainingRun() override { exchange_.close(); }
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;

  /// Makes or restores what the first step of the first roster needs.
  Result<void> begin();
  /// Requires begin().
  ProcessEnd run();

  /// Writes into the output folder, if begin() has opened it, how this attempt ended that did not
  /// complete the job. A failure to write is logged.
  void keepEnd(const ProcessEnd& end);

 private:
  Result<void> beginRoster();
  Action beginAnew();
  TrainingCourse::Options courseOptions() const;
  Slot slot() const { return {Role::kWorker, setup_.index}; }
  bool isWriter() const { return start_.roster.writer == slot(); }
  bool lacksState() const { return start_.roster.sources.contains(slot()); }
  bool keepsCheckpoints() const {
    return !setup_.checkpoint_folder.empty() && !setup_.emulation.isOn();
  }
  bool owesEvaluation() const;
  Outcome receiveState(Step step);
  Outcome awaitRoster();
  Outcome awaitAgreement(Step step);
  Outcome awaitEnd();
  Outcome carryOut(const Action& action);
  Outcome onStep(Step step, const StepEvent& event, bool is_updated) override;
  void beginTiming(TimePoint now);
  void count(Step step);
  void tellComputed(double seconds);
  Outcome withoutSum(const StepEvent& event);
  Outcome apply(Step step, std::span<const float> sums, bool is_updated);
  void estimateNoise(std::span<const float> sums);
  void publish(Step step);
  /// Where the step is traced.
  void record(trace::Activity activity, Step step, TimePoint begin, TimePoint end);
  Outcome evaluate(const Action& action);
  Outcome draftCheckpoint(Step step);
  Outcome completeCheckpoint(Step step);
  Result<void> writeModel();
  Outcome writeResult();
  ProcessEnd endOfComplete(ProcessEnd end) const;
  /// Keeps the end of the job, where a wait ended with it.
  Outcome unlessEnded(std::optional<ProcessEnd> end);
  Outcome notKept(Step step, const Error& error);
  /// That the checkpoint of `step` was not kept.
  void tellSkip(Step step);
  bool hasRoomFor(const checkpoint::State& state);
  Outcome failed(const Error& error);
  /// After a line of progress: kFailed where another process writes them.
  Outcome unlessSuperseded();
  /// Before a write into the fence's folder: whether it is this process that writes there.
  Result<void> hold(std::optional<WriterFence>& fence);
  /// The same at the job's end. Without a volume this worker may be started again, or give way to
  /// another: fails with kUnavailable then.
  Result<void> holdForResult();
  /// The same as a roster begins: whether it can write there at all.
  Result<bool> hasVolume(std::optional<WriterFence>& fence);
  void tellNoVolume(const Error& why);
  Outcome diverged(const std::string& what, Step step);
  JobResult result();
  void putLearned(JobResult& result) const;
  WorkerTimes times() const;
  Result<void> restore(Step from);
  /// As the writer of a roster, if this worker is that.
  Result<void> beginWriting();
  Step newestStart();
  /// Opens metrics.jsonl, without what comes after that step, and takes an older result away.
  Result<void> beginOutput(Step from);
  /// Of a step's sums to the loss that people compare.
  double meanLoss(float sum) const;

  /// That is known to be done.
  Step lastStep() const { return std::max(start_.roster.start_step, snapshot_.step); }

  const TrainingBatches& batches() const { return prefetcher_.batches(); }
  const job::TrainingSpec& training() const { return setup_.job.training; }

  const TrainingSetup& setup_;             // outlives us
  ExchangeClient& exchange_;               // outlives us
  const Clock& clock_;                     // outlives us
  const WallClock& wall_clock_;            // outlives us
  const Log& log_;                         // outlives us
  Published<TrainerSnapshot>& published_;  // outlives us
  trace::Recorder* recorder_;              // outlives us; null: nothing is traced
  const Surroundings& surroundings_;       // outlives us
  Start start_;                            // of the newest roster
  WallTime started_;
  const Kernels& kernels_;  // outlive us
  ComputePool& pool_;       // outlives us
  Prefetcher prefetcher_;
  Step total_steps_;
  TrainingState state_;
  std::optional<Step> held_;  // the step whose state that is
  StepExchange::Seconds seconds_;
  std::unique_ptr<Stint> stint_;
  StepTimer timer_;
  Reporter reporter_;
  std::optional<Evaluations> evaluations_;  // of the writer
  Incarnation writer_;                      // of checkpoints
  // Where members change; none: there is no such folder.
  std::optional<WriterFence> output_fence_;
  std::optional<WriterFence> checkpoint_fence_;
  float loss_scale_;
  std::optional<TrainingCourse> course_;
  TimePoint done_at_{};      // when the newest step was done
  bool is_resumed_ = false;  // members have changed since
  // When the step began that is timed, and how long had been waited until then.
  TimePoint begun_{};
  double data_waited_ = 0;
  double sum_waited_ = 0;
  double applied_ = 0;  // seconds of updates that were made when all sums had come
  double part_ = 0;     // seconds for which one of this worker's parts was computed
  StepOutcome last_;
  std::optional<NoiseScaleEstimator> noise_;  // of the writer, if the job wants it
  TrainerSnapshot snapshot_;
  std::optional<checkpoint::Draft> draft_;
  TimePoint draft_begun_{};
  bool has_output_ = false;          // metrics.jsonl is ours
  bool keeps_checkpoints_ = false;   // under the newest roster
  bool lacks_volume_ = false;        // as its writer, which was told
  std::optional<Error> unkept_;      // why the newest checkpoint was not written
  Result<void> model_;               // how its file was written
  std::string result_message_;       // of the writer, once it has a result
  std::optional<ProcessEnd> end_;    // of the job
  std::optional<ProcessEnd> cause_;  // this worker's failure
};

}  // namespace sumac::worker
