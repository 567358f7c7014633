#pragma once

#include <atomic>
#include <cstdint>

namespace sumac {

/// Counts what a thread has got done, of whatever kind: a part of a step, a batch, some bytes of a
/// file. Another thread sees by it whether the first one still gets on. Any thread may call it.
class WorkCount {
 public:
  void add() { done_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> done_ = 0;
};

}  // namespace sumac
