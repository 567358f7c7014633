#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/mutex.h"
#include "base/core/step.h"
#include "base/trace/clock_alignment.h"
#include "base/trace/step_range.h"

namespace sumac::trace {

/// What a process did for a while.
enum class Activity : std::uint8_t {
  kStep,        // a worker: the whole step
  kForward,     // one part's pass to the loss
  kBackward,    // from there to the part's gradient
  kAwaitSums,   // the trainer waits for the sums of the step
  kUpdate,      // the optimizer
  kEvaluation,  // after the step
  kCheckpoint,  // of the step
  kPush,        // a range: from its contribution being there to its last message being sent
  kWait,        // a range: from there to its sum being there
  kSum,         // a range, where it is summed: from the first contribution to the last
};

std::string_view toString(Activity activity);

/// One activity, from its beginning to its end. A value type.
struct Span {
  Activity activity = Activity::kStep;
  Step step = 0;
  TimePoint begin;
  TimePoint end;
  std::int32_t number = 0;  // of the range or the part; of others without meaning
  std::uint64_t bytes = 0;  // of the range
};

/// What one process records of the steps that are traced.
///
/// Who has nothing to record holds a null pointer instead. Memory is bounded: what comes when it is
/// full is dropped and counted. Safe from any thread.
class Recorder {
 public:
  /// Spans kept, in 6 MiB: 1,000 steps of 30 ranges.
  static constexpr std::size_t kCapacity = std::size_t{1} << 17U;

  /// `clock` outlives us.
  Recorder(const StepRange& steps, const Clock& clock, std::size_t capacity = kCapacity);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Whether a step is to be recorded. To be asked for each step: one that proves that the last of
  /// them is over everywhere ends the recording.
  bool covers(Step step) {
    if (step > last_needed_) finish();
    return steps_.contains(step);
  }
  TimePoint now() const { return clock_.now(); }

  /// Requires that covers(span.step) was true.
  void add(const Span& span);

  /// For the alignment of clocks (ClockAlignment).
  void setReference();
  void onEcho(TimePoint sent, TimePoint theirs);
  std::size_t echoes() const;

  /// No more steps will come.
  void finish();
  /// Waits until finish().
  void awaitFinish();

  /// What was recorded so far.
  struct Content {
    StepRange steps;
    std::vector<Span> spans;
    std::uint64_t dropped = 0;
    std::optional<ClockAlignment::Offset> offset;
  };
  Content content() const;

 private:
  const StepRange steps_;
  const Step last_needed_;
  const std::size_t capacity_;
  const Clock& clock_;  // outlives us
  std::atomic<bool> is_finished_ = false;

  mutable Mutex mutex_;
  Condition finished_;
  std::vector<Span> spans_ SUMAC_GUARDED_BY(mutex_);
  std::uint64_t dropped_ SUMAC_GUARDED_BY(mutex_) = 0;
  ClockAlignment alignment_ SUMAC_GUARDED_BY(mutex_);
};

}  // namespace sumac::trace
