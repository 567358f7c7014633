#include "engine/data/prefetcher.h"

#include <utility>

#include <pthread.h>

#include "base/core/check.h"

namespace sumac::worker {

Prefetcher::Prefetcher(TrainingBatches batches, const Clock& clock)
    : batches_(std::move(batches)), clock_(clock), thread_([this] { run(); }) {}

Prefetcher::~Prefetcher() {
  const std::scoped_lock lock(mutex_);
  stopping_ = true;
  wanted_.notify_one();
}

void Prefetcher::setBlock(TreeNode block, Step next) {
  SUMAC_CHECK(0 <= block.begin && block.begin < block.end && block.end <= batches_.parts(), block,
              batches_.parts());
  SUMAC_CHECK(next >= 1, next);
  std::unique_lock lock(mutex_);
  current_ = 0;  // the thread starts nothing new
  progress_.wait(lock, [this] { return !filling_; });
  block_ = block;
  for (Slot& slot : slots_) {
    slot = {};
    for (int part = block.begin; part < block.end; ++part)
      slot.parts.push_back({batches_.makeBuffers(batches_.samplesOf(part)), {}});
  }
  want(next);
}

/// Requires the lock.
void Prefetcher::want(Step step) {
  current_ = step;
  for (const Step one : {step, step + 1}) {
    Slot& slot = slotOf(one);
    if (slot.step == one) continue;
    slot.step = one;
    slot.filled = 0;
  }
  wanted_.notify_one();
}

BatchView Prefetcher::part(Step step, int part) {
  std::unique_lock lock(mutex_);
  SUMAC_CHECK(current_ > 0 && step >= 1, current_, step);
  SUMAC_CHECK(block_.begin <= part && part < block_.end, part, block_);
  if (step != current_) want(step);
  const auto index = static_cast<std::size_t>(part - block_.begin);
  const Slot& slot = slotOf(step);
  const auto is_there = [&] { return failure_ != nullptr || slot.filled > index; };
  if (!is_there()) {
    const TimePoint begun = clock_.now();
    progress_.wait(lock, is_there);
    seconds_waited_ += std::chrono::duration<double>(clock_.now() - begun).count();
  }
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  return slot.parts[index].view;
}

void Prefetcher::run() {
  ::pthread_setname_np(::pthread_self(), "prefetch");
  try {
    fillUntilStopped();
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    failure_ = std::current_exception();
    filling_ = false;
    progress_.notify_one();
  }
}

void Prefetcher::fillUntilStopped() {
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [this] { return stopping_ || slotToFill() != nullptr; });
    if (stopping_) return;
    Slot& slot = *slotToFill();
    const Step step = slot.step;
    const std::size_t index = slot.filled;
    const int part = block_.begin + static_cast<int>(index);
    PartBuffers& into = slot.parts[index];
    filling_ = true;
    lock.unlock();
    into.view = batches_.fill(step, part, into.buffers);
    lock.lock();
    filling_ = false;
    // Meanwhile another step may have been requested; then this part is filled again for that one.
    if (slot.step == step && slot.filled == index) ++slot.filled;
    progress_.notify_one();
  }
}

/// The slot with parts left to fill, that of the requested step first. Requires the lock.
Prefetcher::Slot* Prefetcher::slotToFill() {
  if (current_ == 0) return nullptr;
  for (const Step step : {current_, current_ + 1}) {
    Slot& slot = slotOf(step);
    if (slot.filled < slot.parts.size()) return &slot;
  }
  return nullptr;
}

}  // namespace sumac::worker
