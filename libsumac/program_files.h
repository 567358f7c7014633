#pragma once

#include <optional>
#include <string>

#include "base/core/result.h"
#include "base/log/log.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/program_state.h"
#include "exchange/client/inbox.h"
#include "exchange/client/job_exchange.h"
#include "exchange/course/reporter.h"
#include "exchange/course/training_course.h"
#include "exchange/course/writer_fence.h"
#include "job/progress/job_end.h"
#include "job/progress/job_result.h"

#include "libsumac/program_setup.h"

namespace sumac::program {

/// The files that a program's worker writes where it is the writer: checkpoints, the model, the
/// result and the lines of progress. Owned by the trainer's thread.
class ProgramFiles {
 public:
  /// The references outlive us.
  ProgramFiles(const ProgramSetup& setup, worker::JobExchange& exchange, worker::Reporter& reporter,
               const WallClock& wall_clock, const Log& log);

  /// As a member of this roster; `self`: this process. Fails where another process writes, or the
  /// folders are forbidden.
  Result<void> begin(const Roster& roster, Member self);
  /// Whether checkpoints are kept under the newest roster.
  bool keepsCheckpoints() const { return keeps_checkpoints_; }

  Result<checkpoint::ProgramState> restore(Step step);

  /// kDone, or that it is skipped, not kept or this worker fails: failure() says why.
  worker::Outcome draft(const checkpoint::ProgramState& state);
  worker::Outcome complete(Step step);
  /// Gives up the draft: the job does not continue from its step.
  void dropDraft() { draft_.reset(); }
  /// writeResult() reports a failure to write.
  void writeModel(const checkpoint::ProgramState& state);
  /// Fails, too, if the model could not be written.
  Result<void> writeResult(const JobResult& result);
  void removeResult();
  /// How an attempt ended that did not complete the job.
  void writeEnd(const JobEnd& end);

  std::string modelPath() const;
  const std::optional<Error>& unkept() const { return unkept_; }
  const std::optional<Error>& failure() const { return failure_; }

 private:
  bool isWriter() const { return roster_.writer == self_.slot; }
  Result<void> hold(std::optional<worker::WriterFence>& fence);
  Result<void> holdForResult();
  Result<bool> hasVolume(std::optional<worker::WriterFence>& fence);
  void tellNoVolume(const Error& why);
  Step newestStart();
  Result<void> beginOutput(Step from);
  bool hasRoomFor(const checkpoint::ProgramState& state);
  void tellSkip(Step step);
  worker::Outcome notKept(Step step, const Error& error);
  worker::Outcome failed(const Error& error);

  const ProgramSetup& setup_;      // outlives us
  worker::JobExchange& exchange_;  // outlives us
  worker::Reporter& reporter_;     // outlives us
  const WallClock& wall_clock_;    // outlives us
  const Log& log_;                 // outlives us
  Roster roster_;                  // the newest
  Member self_;
  Incarnation writer_;  // of checkpoints
  std::optional<worker::WriterFence> output_fence_;
  std::optional<worker::WriterFence> checkpoint_fence_;
  std::optional<checkpoint::Draft> draft_;
  bool has_output_ = false;  // metrics.jsonl is ours
  bool keeps_checkpoints_ = false;
  bool lacks_volume_ = false;
  Result<void> model_;
  std::optional<Error> unkept_;   // why the newest checkpoint was not written
  std::optional<Error> failure_;  // this worker's
};

}  // namespace sumac::program
