#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <span>

#include "base/core/clock.h"
#include "base/core/exit_code.h"
#include "base/core/step.h"
#include "exchange/client/inbox.h"

namespace sumac::worker {

/// What a trainer does next.
enum class Task : std::uint8_t {
  kStep,                // compute and exchange the contributions of the step, apply the sums
  kFinishStep,          // apply the sums of the step that was left open
  kReportWeights,       // tell the coordinator the CRC of the weights
  kReportProgress,      // tell the coordinator how far the job is
  kEvaluate,            // on the splits that the action names
  kDraftCheckpoint,     // its files without the manifest
  kAwaitAgreement,      // until all workers have reported the same weights
  kCompleteCheckpoint,  // the manifest
  kWriteModel,          // the model file; kWriteResult tells if that failed
  kWriteResult,         // the result
  kReceiveState,        // of the step before the first one, which this worker lacks
  kSayHalted,           // tell the coordinator that this worker has halted
  kAwaitRoster,         // until another roster comes
  kBeginAnew,           // as a member of that
  kSayStopped,          // tell the coordinator that this worker has stopped
  kSayFinished,         // or has trained to the end; the writer adds the result
  kSayFailed,           // or cannot continue
  kAwaitEnd,            // until the coordinator ends the job
  kRemoveResult,        // the job did not end with it
  kExit,                // with the failure, where there was one, else as the job ended
};

/// How it went.
enum class Outcome : std::uint8_t {
  kDone,       // as asked; of kAwaitEnd: the job is complete
  kNoSum,      // the step, or the one left open before it, is not to be finished; what was awaited
               // is not to be awaited any more: a stop or a halt comes first
  kNotBegun,   // the step left open is done, and the last one: this one is not to be begun
  kBrokenOff,  // an evaluation, as a stop is known
  kSkipped,    // a checkpoint: its folder has no room for it, is gone or forbidden
  kNotKept,    // a checkpoint, as its files could not be written
  kFailed,     // this worker cannot continue
  kEnded,      // the job has ended; of kAwaitEnd and kAwaitRoster: and is not complete
  kComplete,   // of kAwaitRoster: it is
};

enum class Splits : std::uint8_t { kNone, kValid, kTest, kBoth };

struct Action {
  Task task = Task::kExit;
  Step step = 0;                  // to compute, or done last
  Splits splits = Splits::kNone;  // to evaluate on
  // Of kStep: its sums are applied by the next kStep, whose forward pass begins meanwhile, or by
  // kFinishStep. kStep goes as the step before went then.
  bool leaves_open = false;

  bool operator==(const Action&) const = default;
};

std::ostream& operator<<(std::ostream& out, Task task);
std::ostream& operator<<(std::ostream& out, const Action& action);

/// The course of one worker's training: decides what its trainer does next, from the job's settings
/// and how the last action went. A pure state machine: TrainingRun carries the actions out, and so
/// does the simulator. Owned by the trainer's thread; never allocates.
///
/// The writer evaluates, reports progress and writes files; all others compute, and report
/// their weights at the same steps. So a checkpoint by time is of a step at which all report them
/// anyway: which step that is, only the writer's clock says, and nobody waits for a report
/// that others do not make.
///
/// Where members change, a course goes from roster to roster: it halts, and begins anew with the
/// next one (beginAnew()).
///
/// Where steps are left open, one is finished before the next begins if anything between the two
/// needs all its weights: an evaluation, a checkpoint by steps, a stop or the end. A checkpoint by
/// time is made while the next step is open, whose sums have changed nothing yet.
class TrainingCourse {
 public:
  /// All workers report their weights every so many steps.
  static constexpr Step kReportWeightsEvery = 100;
  /// The same where checkpoints are made by time: the steps that one may be of.
  static constexpr Step kReportTimedEvery = 10;

  struct Options {
    Step from = 0;  // the step whose state all start from
    Step total_steps = 0;
    Step steps_per_epoch = 1;
    Step evaluation_every_epochs = 0;  // 0: only at the end
    Step checkpoint_every = 0;         // steps; 0: not by steps
    Duration checkpoint_interval{};    // since the last one; 0: not by time
    bool is_validated = false;         // watched on a validation split, tested at the end
    bool is_writer = false;
    bool keeps_checkpoints = false;  // there is a folder for them
    bool overlaps = false;           // steps are left open
    // The evaluation that was due at `from`, or before it, was lost with an earlier attempt.
    bool owes_evaluation = false;
    bool lacks_state = false;    // of `from`: another worker sends it
    bool reports_first = false;  // the weights of `from`, which came from others or stayed
  };

  /// Requires from <= total_steps.
  explicit TrainingCourse(const Options& options);

  Action begin(const StopOrder& stop, TimePoint now);
  /// After kBeginAnew: with the options of another roster.
  Action beginAnew(const Options& options, const StopOrder& stop, TimePoint now);
  /// `stop` as it is known now. Not after kExit.
  Action next(Outcome outcome, const StopOrder& stop, TimePoint now);

  /// Whether a draft is to be completed: of the step that all go on from, by who made it.
  bool hasDraft() const { return has_draft_; }

 private:
  enum class Phase : std::uint8_t {
    kStart,  // what a roster begins with
    kSteps,
    kStop,
    kHalt,
    kFinish,  // all steps are done
    kFail,
    kLeave,  // the job has ended before
  };

  void enter(Phase phase);
  void take(Outcome outcome, const StopOrder& stop);
  void endStep(const StopOrder& stop);
  Action start(const StopOrder& stop);
  Action choose(const StopOrder& stop);
  Phase phaseAfterStep(const StopOrder& stop) const;
  bool mustFinish(const StopOrder& stop) const;
  bool isProgressDue() const { return options_.is_writer && progressed_ != done_; }
  bool isDue(Task task, const StopOrder& stop) const;
  bool isReportDue(Step step) const;
  bool isCheckpointDue(Step step) const;
  bool isTimed(Step step) const;
  bool isTimedReportDue() const { return isTimed(done_) && reported_ != done_; }
  bool isDraftDue(const StopOrder& stop) const;
  bool isOwed() const;
  void skipCheckpoint();
  bool isEvaluationDue(Step step) const;
  Splits splits() const;

  Options options_;
  Phase phase_ = Phase::kStart;
  std::span<const Task> tasks_;  // of the phase, after the current one
  Task current_ = Task::kExit;
  Step done_;
  Step open_ = 0;  // the step after it, if that was left open
  TimePoint now_{};
  TimePoint kept_at_{};     // when the last checkpoint was made, or training began
  Step kept_ = -1;          // the step of that checkpoint
  Step progressed_;         // the progress of this step is reported
  Step reported_ = -1;      // its weights
  Step evaluated_ = -1;     // the same
  bool has_draft_ = false;  // of a checkpoint
  bool lacks_state_ = false;
  bool has_result_ = false;
};

/// Whether the newest evaluation due up to step `from` is missing, because a stop broke it off or
/// its writer was lost. `every`: steps between evaluations, 0 for none. `evaluated`: the newest one
/// that the coordinator knows; it knows of none before it founded the job. `written`: the newest
/// one in the output folder, 0 for none, nothing without a folder; called only if the coordinator
/// knows of none that is new enough. Without a folder only an evaluation of `from` itself counts as
/// missing.
bool owesEvaluation(Step from, Step every, Step evaluated,
                    const std::function<std::optional<Step>()>& written);

/// Whether a worker with such an end has completed the job all the same: it has written the result,
/// after all workers agreed on the weights. A member that is lost or stops then takes nothing with
/// it.
bool isCompleteAt(ExitCode end, bool has_result);

}  // namespace sumac::worker
