#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "common/base/clock.h"
#include "common/base/slot.h"

namespace sumac {

/// Notices who has gone silent, and says when it is time for a heartbeat of our own. A state
/// machine without a clock.
class Liveness {
 public:
  static constexpr Duration kBeat = std::chrono::milliseconds(250);
  static constexpr Duration kLost = std::chrono::seconds(3);  // 12 heartbeats
  // We ourselves did not run: nothing that we missed meanwhile is held against others.
  static constexpr Duration kLateTick = std::chrono::seconds(1);

  struct Tick {
    bool beat = false;
    std::vector<Slot> lost;  // in the order of slots; forgotten now
  };

  explicit Liveness(TimePoint now) : now_(now), next_beat_(now) {}

  /// Suspects `slot` from now on, or takes note that it spoke.
  void heard(Slot slot) { last_seen_[slot] = now_; }
  void forget(Slot slot) { last_seen_.erase(slot); }

  Tick tick(TimePoint now);

 private:
  TimePoint now_;
  TimePoint next_beat_;
  std::map<Slot, TimePoint> last_seen_;
};

}  // namespace sumac
