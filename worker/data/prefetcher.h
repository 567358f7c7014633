#pragma once

#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/plan/part_tree.h"
#include "worker/data/batches.h"

namespace sumac::worker {

/// Fills the parts of a block for the next steps while the trainer computes.
///
/// One thread of its own ("prefetch") is at most one step ahead of the step that was asked for
/// last; two sets of buffers are all the memory it uses, taken by setBlock(). What it returns is
/// what TrainingBatches::fill() would have written. All members are for the owner's thread, the
/// trainer's. A failure of the thread is thrown by the next part().
class Prefetcher {
 public:
  /// `clock` outlives us, and so does what `batches` refers to.
  Prefetcher(TrainingBatches batches, const Clock& clock);
  /// Stops the thread, whatever it waits for.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// The parts to fill from now on, beginning with those of the step `next`. What part() returned
  /// before is gone. Requires a block within [0, V) that is not empty.
  void setBlock(TreeNode block, Step next);

  /// A part of the block, as soon as it is there; it lives until another step is asked for. Any
  /// step may be asked for; the one after the last asked for is the one that should not cost any
  /// waiting. Requires setBlock(). Allocates nothing.
  BatchView part(Step step, int part);

  /// How the parts are cut: only its const members.
  const TrainingBatches& batches() const { return batches_; }
  /// Time that part() has waited so far.
  double secondsWaited() const { return seconds_waited_; }

 private:
  struct PartBuffers {
    BatchBuffers buffers;
    BatchView view;
  };
  /// The block's parts of one step.
  struct Slot {
    Step step = 0;
    std::size_t filled = 0;  // so many parts, in order
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
  Step current_ = 0;           // asked for last; 0 without a block
  std::array<Slot, 2> slots_;  // of the steps current_ and current_ + 1: one is even, one is odd
  bool filling_ = false;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace sumac::worker
