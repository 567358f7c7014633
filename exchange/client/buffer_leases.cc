#include "exchange/client/buffer_leases.h"

#include <utility>
#include <vector>

#include "base/core/check.h"

namespace sumac::worker {

Lease BufferLeases::take(Step step, std::span<const Contribution> contributions) {
  const std::size_t set = setOf(step);
  for (const Contribution& one : contributions)
    SUMAC_CHECK(one.owner != nullptr, step);
  std::vector<Contribution> kept(contributions.begin(), contributions.end());
  {
    const MutexLock lock(mutex_);
    SUMAC_CHECK(!is_out_[set], step);
    is_out_[set] = true;
  }
  return {this, [self = shared_from_this(), set, kept = std::move(kept)](const void* /*lease*/) {
            self->giveBack(set);
          }};
}

void BufferLeases::giveBack(std::size_t set) {
  {
    const MutexLock lock(mutex_);
    is_out_[set] = false;
  }
  changed_.notifyAll();
}

void BufferLeases::look() {
  { const MutexLock lock(mutex_); }  // who has just looked waits by now
  changed_.notifyAll();
}

}  // namespace sumac::worker
