#include "exchange/client/handover.h"

#include <stop_token>

#include "base/core/units.h"

namespace sumac::worker {

// The trainer's thread

PartialSum Handover::awaitRanges(Step step, std::uint32_t first, std::uint32_t end,
                                 TimePoint until) {
  MutexLock lock(mutex_);
  awaited_range_ = first;
  PartialSum found = inbox_.partialSumOf(step, first, end);
  for (bool has_time = true; found.ranges == 0 && !inbox_.isOver(step) && has_time;) {
    has_time = range_came_.waitUntil(lock, until);
    found = inbox_.partialSumOf(step, first, end);
  }
  awaited_range_.reset();
  return found;
}

void Handover::begin(Step step, std::span<const Contribution> contributions) {
  MutexLock lock(mutex_);
  // The end of the step before is taken first, or it would be that of this one.
  while (!is_reactor_gone_ && (outbox_.beginning || outbox_.rest))
    has_room_.wait(lock);
  outbox_.beginning = step;
  begun_.assign(contributions.begin(), contributions.end());
}

bool Handover::announce(std::span<const FinalRange> ranges) {
  const MutexLock lock(mutex_);
  if (is_reactor_gone_) return false;
  announced_.insert(announced_.end(), ranges.begin(), ranges.end());
  return !std::exchange(is_woken_, true);
}

std::optional<link::Statistics> Handover::awaitStatistics() {
  MutexLock lock(mutex_);
  while (!statistics_ && !is_reactor_gone_)
    changed_.wait(lock);
  return std::exchange(statistics_, std::nullopt);
}

void Handover::awaitFarewell(Duration most) {
  const SystemClock clock;
  const TimePoint end = clock.now() + most;
  MutexLock lock(mutex_);
  while (inbox_.end() && !is_free_ && !is_reactor_gone_ && clock.now() < end)
    changed_.waitUntil(lock, std::stop_token(), end);
}

// The reactor's thread

void Handover::take(Taken& taken) {
  taken.begun.clear();
  taken.announced.clear();
  {
    const MutexLock lock(mutex_);
    taken.outbox = std::exchange(outbox_, {});
    taken.begun.swap(begun_);
    taken.announced.swap(announced_);
    is_woken_ = false;
  }
  if (!taken.isEmpty()) has_room_.notifyAll();
}

void Handover::counted(const link::Statistics& statistics) {
  const MutexLock lock(mutex_);
  statistics_ = statistics;
  changed_.notifyAll();
}

void Handover::freed() {
  const MutexLock lock(mutex_);
  if (std::exchange(is_free_, true)) return;
  changed_.notifyAll();
}

void Handover::reactorGone() {
  const MutexLock lock(mutex_);
  is_reactor_gone_ = true;
  changed_.notifyAll();
  has_room_.notifyAll();
}

/// Passes an event on to the trainer's thread.
template <typename Event>
void Handover::pass(const Event& event) {
  {
    const MutexLock lock(mutex_);
    event(inbox_);
    news_.fetch_add(1, std::memory_order_release);
    changed_.notifyAll();
    range_came_.notifyAll();
  }
  leases_->look();
}

void Handover::onStart(const Roster& roster, TreeNode block) {
  pass([&](Inbox& inbox) { inbox.onStart(roster, block); });
}

// Wakes the trainer only for what it waits for.
void Handover::onPartialSum(Step step, const RangeRun& run, std::span<const float> sum) {
  const MutexLock lock(mutex_);
  inbox_.onPartialSum(step, run, sum);
  news_.fetch_add(1, std::memory_order_release);
  if (awaited_range_ && *awaited_range_ - run.range < run.ranges) range_came_.notifyAll();
}

void Handover::onSum(Step step, std::span<const float> sum) {
  pass([&](Inbox& inbox) { inbox.onSum(step, sum); });
}

void Handover::onStop(const StopOrder& order) {
  pass([&](Inbox& inbox) { inbox.onStop(order); });
}

void Handover::onState(StateArrival arrival) {
  pass([=](Inbox& inbox) { inbox.onState(arrival); });
}

void Handover::onWeightsAgreed(Step step) {
  pass([&](Inbox& inbox) { inbox.onWeightsAgreed(step); });
}

void Handover::onWorkerTimes(const std::vector<WorkerTimes>& times) {
  pass([&](Inbox& inbox) { inbox.onWorkerTimes(times); });
}

void Handover::onEnd(ExitCode code, const std::string& reason) {
  pass([&](Inbox& inbox) { inbox.onEnd(code, reason); });
}

}  // namespace sumac::worker
