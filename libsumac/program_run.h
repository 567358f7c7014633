#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "base/core/clock.h"
#include "base/core/wall_time.h"
#include "base/log/log.h"
#include "base/telemetry/published.h"
#include "engine/checkpoint/program_state.h"
#include "exchange/client/job_exchange.h"
#include "exchange/client/worker_status.h"
#include "exchange/course/reporter.h"
#include "exchange/course/step_timer.h"
#include "exchange/course/training_course.h"
#include "job/progress/job_result.h"
#include "kernels/aligned_buffer.h"
#include "kernels/kernels.h"

#include "libsumac/part_sums.h"
#include "libsumac/program_files.h"
#include "libsumac/program_setup.h"

namespace sumac::program {

/// What a program is asked to do: the tasks of sumac.h.
enum class Ask : std::uint8_t { kNothing, kCompute, kUpdate, kLoad, kLast };

/// With what.
struct Turn {
  Ask task = Ask::kNothing;
  bool is_again = false;
  Step step = 0;
  bool is_writer = false;
  TreeNode block;
  int position = 0;
  int workers = 1;
  std::span<const float> sum = {};
  double loss = 0;
  const checkpoint::ProgramState* state = nullptr;
};

/// Whether the deadline of a wait for other members came first.
template <typename Event>
bool isNotYet(const Event& event) {
  return std::holds_alternative<worker::NotYet>(event);
}

/// How next() ends.
enum class Next : std::uint8_t { kTurn, kTimeout, kStopped, kEnded };

/// One program's training, from joining to its end, through all rosters: carries out what
/// TrainingCourse decides, and hands to the program what only that can do. What TrainingRun is for
/// the engine, as a state machine that its caller drives with deadlines. Owned by the caller's
/// thread. Functions throw Misuse, before they have changed anything, where the program calls them
/// out of turn.
class ProgramRun {
 public:
  struct Surroundings {
    const Log& log;  // these outlive the run
    Published<worker::TrainerSnapshot>& published;
    const checkpoint::ProgramState& registered;  // that the program keeps
  };

  /// The references outlive us; `registered` is of step 0.
  ProgramRun(const ProgramSetup& setup, worker::JobExchange& exchange, const Kernels& kernels,
             Member self, const Surroundings& surroundings);
  /// Nothing of the program's is read any more.
  ~ProgramRun() { exchange_.close(); }
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  /// Goes on until the program is to do something, or `until`.
  Next next(TimePoint until);
  /// What next() asked for last.
  const Turn& turn() const { return turn_; }

  /// The contribution of a part. False: the step is not to be finished.
  bool add(Step step, int part, std::span<const Piece> pieces, float loss);
  /// Throws Misuse unless the program may register the state of `step` now.
  void requireStateOf(Step step) const;
  /// The program has registered it.
  void onState(Step step);
  void onMetrics(Evaluated evaluation);
  /// This program cannot go on. Returns once the others know it, or at `until`.
  void fail(const ProcessEnd& cause, TimePoint until);

  /// How this process ends, once that is known.
  const std::optional<ProcessEnd>& end() const { return end_; }
  /// The first value that was not finite, where that has ended it; the loss comes after the values.
  std::optional<std::int64_t> badValue() const { return bad_value_; }
  Step lastStep() const { return std::max(start_.roster.start_step, snapshot_.step); }

 private:
  enum class Stage : std::uint8_t { kJoin, kEnter, kLoad, kBegin, kCourse, kGiveUp, kOver };
  enum class Phase : std::uint8_t { kBuffers, kCompute, kSum, kUpdate };
  /// Memory of a state on its way into this process, or just come.
  struct Incoming {
    AlignedBuffer bytes;
  };
  using Maybe = std::optional<worker::Outcome>;  // nothing: not yet, or the program is asked

  void checkAnswered() const;
  void takeAnswer();
  bool goOn(TimePoint until);
  bool join(TimePoint until);
  bool enter();
  bool begin();
  bool followCourse(TimePoint until);
  bool giveUp(const Error& error);
  bool awaitGivenUp(TimePoint until);
  Next over();
  void ask(Ask task, Step step);
  void load(checkpoint::ProgramState state);

  worker::TrainingCourse::Options courseOptions() const;
  Slot slot() const { return self_.slot; }
  bool isWriter() const { return start_.roster.writer == slot(); }
  bool lacksState() const { return start_.roster.sources.contains(slot()); }
  bool isOver(Step step) const;

  Maybe carryOut(const worker::Action& action, TimePoint until);
  Maybe makeStep(Step step, TimePoint until);
  Maybe takeSum(Step step, std::span<const float> values);
  Maybe receiveState(Step step, TimePoint until);
  Maybe takeState(Step step, StateArrival arrival);
  Maybe awaitRoster(TimePoint until);
  Maybe awaitAgreement(Step step, TimePoint until);
  Maybe awaitEnd(TimePoint until);
  Maybe evaluate(Step step);
  worker::Outcome withoutSum(const worker::StepEvent& event);
  worker::Outcome unlessEnded(std::optional<ProcessEnd> end);
  worker::Outcome failed(const Error& error);
  worker::Outcome writeResult();
  void sayFailed();
  ProcessEnd endOfComplete(ProcessEnd end) const;
  void count(Step step);
  WorkerTimes times() const;
  JobResult result();
  StateRoom room(Step step);
  StateView view();
  std::uint32_t weightsCrc() const;

  const ProgramSetup& setup_;                      // outlives us
  worker::JobExchange& exchange_;                  // outlives us
  const Log& log_;                                 // outlives us
  Published<worker::TrainerSnapshot>& published_;  // outlives us
  const checkpoint::ProgramState& registered_;     // outlives us
  const Member self_;
  SystemClock clock_;
  SystemWallClock wall_clock_;
  WallTime started_;
  PartSums sums_;
  worker::StepTimer timer_;
  worker::Reporter reporter_;
  ProgramFiles files_;

  Stage stage_ = Stage::kJoin;
  Phase phase_ = Phase::kBuffers;
  worker::Start start_;  // of the newest roster
  std::optional<worker::TrainingCourse> course_;
  worker::Action action_;
  Turn turn_;
  Ask asked_ = Ask::kNothing;           // and not answered yet
  std::optional<Step> stated_;          // the step of the state that was registered since asked_
  std::optional<Step> held_;            // the step of the program's state
  bool is_loaded_ = false;              // what was received
  bool is_ended_ = false;               // and the others know it
  Step most_asked_ = 0;                 // the highest step that was to be computed
  checkpoint::ProgramState state_;      // that is to be loaded
  std::shared_ptr<Incoming> incoming_;  // memory of it; others may get it from there
  Bytes head_;                          // of the state that is offered
  worker::StepOutcome last_;
  Evaluated evaluated_;
  worker::TrainerSnapshot snapshot_;
  TimePoint begun_{};  // the step that is timed
  TimePoint mark_{};   // when the program was asked, or the wait began
  double computed_ = 0;
  double waited_ = 0;
  double updated_ = 0;
  double part_ = 0;  // seconds for which one of this worker's parts was computed
  std::string result_message_;
  std::optional<ProcessEnd> end_;
  std::optional<ProcessEnd> cause_;  // this worker's failure
  std::optional<std::int64_t> bad_value_;
};

}  // namespace sumac::program
