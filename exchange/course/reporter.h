#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/core/clock.h"
#include "base/log/log.h"
#include "exchange/client/job_exchange.h"
#include "exchange/course/step_timer.h"
#include "job/progress/job_event.h"
#include "job/progress/noise_scale.h"
#include "job/progress/output_folder.h"
#include "job/progress/worker_times.h"
#include "job/tensorboard/event_file.h"

namespace sumac::worker {

/// How one step went.
struct StepOutcome {
  Step step = 0;
  double loss = 0;  // mean over the samples of the mini-batch; of text over its words
  // Known only where the weights are updated: not of a program.
  std::optional<double> learning_rate = {};
  std::optional<double> gradient_norm = {};
  std::optional<NoiseScale> noise_scale = {};  // where it is estimated
};

/// Reports how the job goes, for its writer: to the coordinator and, where there is an
/// output folder, to metrics.jsonl. Owned by the trainer's thread; a step that is not a line of the
/// curve does not allocate.
class Reporter {
 public:
  struct Options {
    Step total_steps = 0;
    Step steps_per_epoch = 1;
    std::int64_t batch_size = 1;
    bool is_text = false;
  };

  /// Whether lines may still be written: fails with kStale where another process writes them.
  using MayWrite = std::function<Result<void>()>;

  /// The references outlive us.
  Reporter(JobExchange& exchange, const StepTimer& timer, const Clock& clock, const Log& log,
           const Options& options);

  /// From now on lines are written there too, `from_the_beginning` as in MetricsFile::open(). Where
  /// storage fails or is full, later lines try again; fails where the file is forbidden. `may` is
  /// asked before each line that comes a second or more after the one before.
  Result<void> writeTo(const OutputFolder& folder, bool from_the_beginning, MayWrite may);
  /// The same values go there, too. Requires writeTo().
  void writeTo(tensorboard::EventFile file) { tensorboard_ = std::move(file); }
  /// Another process writes the lines: none was written since this was known.
  const std::optional<Error>& superseded() const { return superseded_; }

  /// Reports every so many steps, so that a job has at most a few hundred lines; and in between
  /// every second, for those who ask how it goes now. `times` are those of the run so far.
  void onStep(const StepOutcome& outcome, const WorkerTimes& times);
  void onEvaluation(const Evaluated& evaluation);
  void onCheckpoint(Step step);
  /// The last line. JobExchange::finished() tells the coordinator.
  void onResult(const JobResult& result) { write(toLine(result)); }

  double secondsSinceStart() const;

 private:
  void write(std::string_view line, Step step = 0, const tensorboard::Scalars& scalars = {});
  Result<void> mayWrite();
  Result<void> openMetrics();
  /// Once, until it succeeds again.
  void complain(const Result<void>& written);

  JobExchange& exchange_;   // outlives us
  const StepTimer& timer_;  // outlives us
  const Clock& clock_;      // outlives us
  const Log& log_;          // outlives us
  Options options_;
  Step every_;
  TimePoint started_;
  TimePoint next_interim_;
  double loss_sum_ = 0;  // since the last report
  Step steps_ = 0;
  std::optional<OutputFolder> folder_;
  bool is_fresh_ = false;               // metrics_ begins anew, once it can be opened
  std::optional<MetricsFile> metrics_;  // in folder_
  std::optional<tensorboard::EventFile> tensorboard_;
  bool has_complained_ = false;
  MayWrite may_;
  TimePoint written_at_;  // the last line, or when it was known that it may be
  std::optional<Error> superseded_;
};

}  // namespace sumac::worker
