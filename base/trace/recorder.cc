#include "base/trace/recorder.h"

#include <limits>

namespace sumac::trace {
namespace {

/// Who begins the second step after the last one has all sums of the step between, and these are
/// sent by who has done the last one.
Step lastNeeded(Step last) {
  return last > std::numeric_limits<Step>::max() - 1 ? last : last + 1;
}

}  // namespace

std::string_view toString(Activity activity) {
  switch (activity) {
    case Activity::kStep: return "step";
    case Activity::kForward: return "forward";
    case Activity::kBackward: return "backward";
    case Activity::kAwaitSums: return "wait for sums";
    case Activity::kUpdate: return "update";
    case Activity::kEvaluation: return "evaluation";
    case Activity::kCheckpoint: return "checkpoint";
    case Activity::kPush: return "push";
    case Activity::kWait: return "wait";
    case Activity::kSum: return "sum";
  }
  return "unknown";
}

Recorder::Recorder(const StepRange& steps, const Clock& clock, std::size_t capacity)
    : steps_(steps), last_needed_(lastNeeded(steps.to)), capacity_(capacity), clock_(clock) {
  spans_.reserve(capacity_);
}

void Recorder::add(const Span& span) {
  const MutexLock lock(mutex_);
  if (spans_.size() < capacity_) {
    spans_.push_back(span);
  } else {
    ++dropped_;
  }
}

void Recorder::setReference() {
  const MutexLock lock(mutex_);
  alignment_.setReference();
}

void Recorder::onEcho(TimePoint sent, TimePoint theirs) {
  const TimePoint received = now();
  const MutexLock lock(mutex_);
  alignment_.onEcho(sent, theirs, received);
}

std::size_t Recorder::echoes() const {
  const MutexLock lock(mutex_);
  return alignment_.echoes();
}

void Recorder::finish() {
  if (is_finished_.load(std::memory_order_relaxed)) return;
  const MutexLock lock(mutex_);
  is_finished_.store(true, std::memory_order_relaxed);
  finished_.notifyAll();
}

void Recorder::awaitFinish() {
  MutexLock lock(mutex_);
  while (!is_finished_.load(std::memory_order_relaxed))
    finished_.wait(lock);
}

Recorder::Content Recorder::content() const {
  const TimePoint now = this->now();
  const MutexLock lock(mutex_);
  return {steps_, spans_, dropped_, alignment_.at(now)};
}

}  // namespace sumac::trace
