#include <algorithm>
#include <set>
#include <utility>

#include "base/core/stop_times.h"
#include "exchange/coordinator/coordinator.h"

// The end of a stop: the job ends, or this process alone, whose place another one takes.

namespace sumac {

/// All workers have stopped, or have had their time to. If this process alone was asked to stop,
/// the others halt and wait for another process of its slot; what they have is also in a
/// checkpoint.
void Coordinator::endStop() {
  const std::set<Slot> others = staying();
  const bool is_late = now_ - stop_.since >= StopTimes::kRelease;
  if (!endsAlone() || others.empty())
    return end(wire::MessageType::kRelease, ExitCode::kStopped, stop_.reason);
  // If all members were asked to stop, the others report that soon.
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

/// Whether this process was asked to stop before any other, so that it may end alone.
bool Coordinator::endsAlone() const {
  return changes_ && stop_.by == self_.slot;
}

void Coordinator::handOver(Slot member) {
  if (member.role == Role::kWorker && members_.has(member))
    return tell(member, {ChangeOrder::Kind::kHaltNow});
  onHandedOver(member);  // the member has nothing to halt
}

/// The members that stay when this process ends: they live, and were not asked to stop.
std::set<Slot> Coordinator::staying() const {
  std::set<Slot> slots;
  for (const auto& [slot, joined] : admission_.joined()) {
    if (slot != self_.slot && !members_.isGone(slot) && !leaving_.contains(slot))
      slots.insert(slot);
  }
  return slots;
}

/// The member waits for another process of this slot, and gets no more messages.
void Coordinator::onHandedOver(Slot member) {
  members_.markGone(member);
  liveness_.forget(member);
  if (staying().empty()) end(wire::MessageType::kRelease, ExitCode::kStopped, stop_.reason);
}

}  // namespace sumac
