#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include "base/core/clock.h"
#include "base/core/mutex.h"

namespace sumac::worker {

/// Workers that compute beside the one that is measured, each on a thread of its own, until this is
/// destroyed. Owned by the thread that measures.
class Neighbours {
 public:
  /// What one of them does, until it is told to stop. Calls `onPass` after each pass.
  using Work = std::function<void(const std::function<void()>& onPass, const std::stop_token&)>;

  /// Starts so many. One whose work returns early, or throws, computes no more.
  Neighbours(int count, const Work& work);
  /// Waits for the passes under way.
  ~Neighbours();
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  /// Waits until each has computed once, or has ended. Returns how many compute; none where that
  /// takes longer than `limit`.
  int awaitFirstPasses(Duration limit);

 private:
  void live(const Work& work, const std::stop_token& stop);

  Mutex mutex_;
  Condition changed_;
  int awaited_ SUMAC_GUARDED_BY(mutex_);  // that have neither computed nor ended
  int computing_ SUMAC_GUARDED_BY(mutex_) = 0;
  std::vector<std::jthread> threads_;  // the last member: they use the others
};

/// How many neighbours a worker with `threads` has, so that all compute on `cores`, and each finds
/// `bytes_each` in what is left of the memory, of which a part stays free.
int neighboursFor(int cores, int threads, std::uint64_t bytes_each, std::uint64_t bytes_left);

/// MemAvailable of /proc/meminfo, in bytes; nothing where it does not say.
std::optional<std::uint64_t> availableMemory(std::string_view meminfo);

}  // namespace sumac::worker
