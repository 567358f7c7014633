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
  std::uint64_t life = 0;
  {
    const MutexLock lock(mutex_);
    SUMAC_CHECK(!is_out_[set], step);
    is_out_[set] = true;
    life = life_;
  }
  return {this, [self = shared_from_this(), set, life,
                 kept = std::move(kept)](const void* /*lease*/) { self->giveBack(set, life); }};
}

void BufferLeases::renew() {
  const MutexLock lock(mutex_);
  ++life_;
  is_out_ = {};
}

void BufferLeases::giveBack(std::size_t set, std::uint64_t life) {
  {
    const MutexLock lock(mutex_);
    if (life == life_) is_out_[set] = false;
  }
  changed_.notifyAll();
}

void BufferLeases::look() {
  { const MutexLock lock(mutex_); }  // who has just looked waits by now
  changed_.notifyAll();
}

}  // namespace sumac::worker
