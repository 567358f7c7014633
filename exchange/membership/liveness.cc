#include "exchange/membership/liveness.h"

namespace sumac {

Liveness::Tick Liveness::tick(TimePoint now) {
  const bool late = now - now_ > kLateTick;
  now_ = now;
  Tick result;
  for (auto& [slot, seen] : last_seen_) {
    if (late) seen = now;
    if (now - seen >= kLost) result.lost.push_back(slot);
  }
  for (const Slot slot : result.lost) {
    last_seen_.erase(slot);
  }
  if (now >= next_beat_) {
    result.beat = true;
    next_beat_ = now + kBeat;
  }
  return result;
}

}  // namespace sumac
