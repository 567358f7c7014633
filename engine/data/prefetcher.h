#pragma once

#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/core/clock.h"
#include "engine/data/batches.h"
#include "exchange/plan/part_tree.h"

namespace sumac::worker {

/// Fills the parts of a block for the next steps while the trainer computes.
///
/// Its own thread ("prefetch") works at most one step ahead of the step requested last. It uses two
/// sets of buffers, allocated by setBlock(). part() returns what TrainingBatches::fill() would have
/// written. All members are for the owner's thread, the trainer's. If the prefetch thread fails,
/// the next part() throws its exception.
class Prefetcher {
 public:
  /// `clock` outlives us, and so does what `batches` refers to.
  Prefetcher(TrainingBatches batches, const Clock& clock);
  /// Stops the thread, even while it waits.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Fills the parts of `block` from now on, starting with those of step `next`. Views that part()
  /// returned before become invalid. Requires a non-empty block within [0, V).
  void setBlock(TreeNode block, Step next);

  /// A part of the block; waits until it is filled. Valid until another step is requested. Any step
  /// may be requested; the step after the last one is prefetched. Requires setBlock(). Allocates
  /// nothing.
  BatchView part(Step step, int part);

  /// How the parts are cut.
  const TrainingBatches& batches() const { return batches_; }
  /// The time that part() has waited so far.
  double secondsWaited() const { return seconds_waited_; }

 private:
  struct PartBuffers {
    BatchBuffers buffers;
    BatchView view;
  };
  /// The block's parts of one step.
  struct Slot {
    Step step = 0;
    std::size_t filled = 0;  // parts, in order
    std::vector<PartBuffers> parts;
  };

  void run();
  void fillUntilStopped();
  void want(Step step);
  Slot& slotOf(Step step) { return slots_[static_cast<std::size_t>(step) % slots_.size()]; }
  Slot* slotToFill();

  TrainingBatches batches_;  // fill() is the thread's
  const Clock& clock_;       // outlives us
  double seconds_waited_ = 0;

  // Guards all below, but for the buffers of a slot's parts: the first `filled` are the trainer's,
  // the others the thread's.
  std::mutex mutex_;
  std::condition_variable wanted_;    // for the thread: there may be something to fill
  std::condition_variable progress_;  // for the trainer: a part was filled, or the thread failed
  TreeNode block_;
  Step current_ = 0;           // requested last; 0 without a block
  std::array<Slot, 2> slots_;  // of the steps current_ and current_ + 1: one is even, one is odd
  bool filling_ = false;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace sumac::worker
