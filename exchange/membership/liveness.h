#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "base/core/clock.h"
#include "base/core/slot.h"

namespace sumac {

/// Detects members that have gone silent and says when to send a heartbeat. A state machine without
/// a clock.
class Liveness {
 public:
  static constexpr Duration kBeat = std::chrono::milliseconds(250);
  static constexpr Duration kLost = std::chrono::seconds(3);  // 12 heartbeats
  // A later tick means that we did not run ourselves: the silence of others is ignored then.
  static constexpr Duration kLateTick = std::chrono::seconds(1);

  struct Tick {
    bool beat = false;
    std::vector<Slot> lost;  // silent too long, ordered by slot; not watched any more
  };

  explicit Liveness(TimePoint now) : now_(now), next_beat_(now) {}

  /// Watches `slot` from now on, or records that it sent something.
  void heard(Slot slot) { last_seen_[slot] = now_; }
  void forget(Slot slot) { last_seen_.erase(slot); }

  Tick tick(TimePoint now);

 private:
  TimePoint now_;
  TimePoint next_beat_;
  std::map<Slot, TimePoint> last_seen_;
};

}  // namespace sumac
