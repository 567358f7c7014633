#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "base/core/mutex.h"
#include "base/core/units.h"
#include "base/core/work_count.h"
#include "exchange/client/buffer_leases.h"
#include "exchange/client/inbox.h"
#include "exchange/client/outbox.h"
#include "exchange/link/statistics.h"
#include "exchange/member/contribution.h"
#include "exchange/membership/part_time.h"

namespace sumac::worker {

/// What the trainer's thread and the reactor's thread hand each other, all of it under one lock: an
/// outbox, which the trainer fills, and an inbox, which the member's events fill. Each group of
/// functions below belongs to one of the two threads.
class Handover final : public Trainer {
 public:
  /// What the reactor takes at once. It keeps one and takes into it again: nothing is allocated.
  struct Taken {
    Outbox outbox;
    std::vector<Contribution> begun;  // of the step that begins
    std::vector<FinalRange> announced;

    bool isEmpty() const { return outbox.isEmpty() && announced.empty(); }
  };
  /// While it exists, the trainer's thread waits for other members.
  class Waiting;

  /// `most_ranges` become final in a step.
  explicit Handover(std::size_t most_ranges) { announced_.reserve(most_ranges); }

  // The trainer's thread

  /// Waits until `find`, called with the inbox, returns something, and returns that; until `until`
  /// at the latest: then it returns nothing.
  template <typename Find>
  auto await(const Find& find, TimePoint until) {
    MutexLock lock(mutex_);
    auto found = find(std::as_const(inbox_));
    for (bool has_time = true; !found && has_time; found = find(std::as_const(inbox_)))
      has_time = changed_.waitUntil(lock, until);
    return found;
  }
  /// What `find`, called with the inbox, returns now.
  template <typename Find>
  auto look(const Find& find) const {
    const MutexLock lock(mutex_);
    return find(inbox_);
  }
  /// Waits for the range `first` as ExchangeClient::awaitRanges() does.
  PartialSum awaitRanges(Step step, std::uint32_t first, std::uint32_t end, TimePoint until);
  /// Grows with all that comes into the inbox: cheaper to ask than to look.
  std::uint64_t news() const { return news_.load(std::memory_order_acquire); }

  /// Calls `put` with the outbox as soon as `hasRoom` is true of it, which it is at once unless the
  /// reactor is held up. Returns whether the reactor is to be woken.
  template <typename HasRoom, typename Put>
  [[nodiscard]] bool post(const HasRoom& hasRoom, const Put& put) {
    MutexLock lock(mutex_);
    while (!is_reactor_gone_ && !hasRoom(std::as_const(outbox_)))
      has_room_.wait(lock);
    if (is_reactor_gone_) return false;
    put(outbox_);
    return !std::exchange(is_woken_, true);
  }
  /// The same for a step that begins, of which the list is copied: nothing can be sent yet, so the
  /// reactor is not woken.
  void begin(Step step, std::span<const Contribution> contributions);
  /// The same for ranges, for which there is always room.
  [[nodiscard]] bool announce(std::span<const FinalRange> ranges);

  /// Waits until the reactor, which never blocks, has counted; nothing when it is gone.
  std::optional<link::Statistics> awaitStatistics();
  /// Waits until the reactor's thread is needed no more: the job has not ended for this worker, or
  /// others need nothing of this process. For `most`.
  void awaitFarewell(Duration most);

  /// Whether anybody may still read the trainer's buffers.
  BufferLeases& leases() { return *leases_; }
  /// Counts what the trainer gets done. Any thread may add.
  WorkCount& work() const { return work_; }
  /// What the trainer has computed so far, which the coordinator is told.
  void setComputed(const PartTime& so_far) { computed_.store(so_far, std::memory_order_relaxed); }

  // The reactor's thread

  void onStart(const Roster& roster, TreeNode block) override;
  void onPartialSum(Step step, const RangeRun& run, std::span<const float> sum) override;
  void onSum(Step step, std::span<const float> sum) override;
  void onStop(const StopOrder& order) override;
  void onState(StateArrival arrival) override;
  void onWeightsAgreed(Step step) override;
  void onWorkerTimes(const std::vector<WorkerTimes>& times) override;
  void onEnd(ExitCode code, const std::string& reason) override;

  /// Replaces `taken` by what the trainer has put there since.
  void take(Taken& taken);
  void counted(const link::Statistics& statistics);
  /// Other members need nothing of this process any more.
  void freed();
  /// Nobody takes anything any more.
  void reactorGone();
  /// Whether the trainer waits for others.
  bool isWaiting() const { return waiting_.load() != 0; }
  PartTime computed() const { return computed_.load(std::memory_order_relaxed); }

 private:
  template <typename Event>
  void pass(const Event& event);

  // Synchronise themselves.
  mutable WorkCount work_;                       // of the trainer
  std::atomic<PartTime> computed_ = PartTime();  // by the trainer
  std::atomic<int> waiting_ = 0;                 // Waiting objects
  std::atomic<std::uint64_t> news_ = 0;          // what has come into the inbox
  const std::shared_ptr<BufferLeases> leases_ =  // shared with the leases that are out
      std::make_shared<BufferLeases>();

  mutable Mutex mutex_;
  Condition changed_;
  Condition range_came_;  // the trainer waits for one range
  Condition has_room_;    // in the outbox; apart, so that no wait for a sum is disturbed
  Outbox outbox_ SUMAC_GUARDED_BY(mutex_);
  std::vector<Contribution> begun_ SUMAC_GUARDED_BY(mutex_);  // of outbox_.beginning
  std::vector<FinalRange> announced_ SUMAC_GUARDED_BY(mutex_);
  bool is_woken_ SUMAC_GUARDED_BY(mutex_) = false;  // the reactor is, to take both
  Inbox inbox_ SUMAC_GUARDED_BY(mutex_);
  // What the trainer waits for.
  std::optional<std::uint32_t> awaited_range_ SUMAC_GUARDED_BY(mutex_);
  std::optional<link::Statistics> statistics_ SUMAC_GUARDED_BY(mutex_);
  bool is_free_ SUMAC_GUARDED_BY(mutex_) = false;  // others need nothing of this process
  bool is_reactor_gone_ SUMAC_GUARDED_BY(mutex_) = false;
};

class Handover::Waiting {
 public:
  explicit Waiting(Handover& handover) : handover_(handover) { ++handover_.waiting_; }
  ~Waiting() {
    handover_.work_.add();
    --handover_.waiting_;
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Handover& handover_;  // outlives us
};

}  // namespace sumac::worker
