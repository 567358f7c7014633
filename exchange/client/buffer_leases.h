#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/core/mutex.h"
#include "base/core/step.h"
#include "exchange/member/contribution.h"

namespace sumac::worker {

/// Says which of the trainer's two sets of contributions, of odd and of even steps, somebody may
/// still read: the member, or messages that have not arrived or have not left this process.
///
/// Safe from any thread. Owned by a shared pointer, and by the leases that are out.
class BufferLeases : public std::enable_shared_from_this<BufferLeases> {
 public:
  /// For whoever reads the contributions of `step`; keeps their owners, too. Requires that they
  /// have one, and that no lease of this set is out.
  Lease take(Step step, std::span<const Contribution> contributions);

  /// The trainer has other buffers from now on, so nobody reads them. The former ones stay with the
  /// leases that are out: a peer that does not read what was sent may hold them for minutes.
  void renew();

  /// Waits until nobody reads the set of `step`, which returns true, or until `isOver()` or
  /// `until`. Does not allocate.
  template <typename IsOver>
  bool awaitReturn(Step step, const IsOver& isOver, TimePoint until) {
    MutexLock lock(mutex_);
    for (bool has_time = true; is_out_[setOf(step)];) {
      if (isOver() || !has_time) return false;
      has_time = changed_.waitUntil(lock, until);
    }
    return true;
  }

  /// Makes awaitReturn() look whether it is over.
  void look();

 private:
  void giveBack(std::size_t set, std::uint64_t life);
  static std::size_t setOf(Step step) { return static_cast<std::size_t>(step % 2); }

  Mutex mutex_;
  Condition changed_;
  std::array<bool, 2> is_out_ SUMAC_GUARDED_BY(mutex_){};
  std::uint64_t life_ SUMAC_GUARDED_BY(mutex_) = 0;  // counts renewals
};

}  // namespace sumac::worker
