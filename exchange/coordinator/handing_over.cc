#include <algorithm>
#include <set>
#include <utility>

#include "base/core/stop_times.h"
#include "exchange/coordinator/coordinator.h"

// The end of a stop: of the job, or of this process alone, whose place another one is to take.

namespace sumac {

/// All workers have stopped, or have had their time. Where this process alone was asked to stop,
/// the others halt, and wait for another one of its slot: what they have is also in a checkpoint.
void Coordinator::endStop() {
  const std::set<Slot> others = staying();
  const bool is_late = now_ - stop_.since >= StopTimes::kRelease;
  if (!endsAlone() || others.empty())
    return end(wire::MessageType::kRelease, ExitCode::kStopped, stop_.reason);
  // Where all are asked to stop, the others say so soon.
  if (now_ - stop_.since < MembershipChange::kGather) return;
  if (!std::exchange(stop_.hands_over, true)) {
    stop_.reason += "; the others wait for another " + toString(self_.slot);
    for (const Slot slot : others)
      handOver(slot);
  }
  if (!is_late || ending_) return;
  for (const Slot slot : others)
    onHandedOver(slot);
}

/// Whether nobody but this process was asked to stop, before all others.
bool Coordinator::endsAlone() const {
  return changes_ && stop_.by == self_.slot;
}

void Coordinator::handOver(Slot member) {
  if (member.role == Role::kWorker && members_.has(member))
    return tell(member, {ChangeOrder::Kind::kHaltNow});
  onHandedOver(member);  // it has nothing to halt
}

/// Who stays when this process ends: they live, and nobody has asked them to stop.
std::set<Slot> Coordinator::staying() const {
  std::set<Slot> slots;
  for (const auto& [slot, joined] : admission_.joined()) {
    if (slot != self_.slot && !members_.isGone(slot) && !leaving_.contains(slot))
      slots.insert(slot);
  }
  return slots;
}

/// It waits for another process of this slot, and is told nothing more.
void Coordinator::onHandedOver(Slot member) {
  members_.markGone(member);
  liveness_.forget(member);
  if (staying().empty()) end(wire::MessageType::kRelease, ExitCode::kStopped, stop_.reason);
}

}  // namespace sumac
