#include "exchange/coordinator/flapping.h"

namespace sumac {

void Flapping::lost(Slot slot, TimePoint now) {
  std::deque<TimePoint>& losses = losses_[slot];
  losses.push_back(now);
  if (losses.size() > kLosses) losses.pop_front();
}

bool Flapping::mustWait(Slot slot, TimePoint now) const {
  const auto found = losses_.find(slot);
  if (found == losses_.end() || found->second.size() < kLosses) return false;
  const auto& losses = found->second;
  return losses.back() - losses.front() <= kWithin && now - losses.back() < wait_;
}

}  // namespace sumac
