#include <algorithm>

#include "base/core/stop_times.h"
#include "base/core/units.h"
#include "exchange/coordinator/coordinator.h"

// A stop: the vote on the last step, and what happens if the members do not reach it.

namespace sumac {

void Coordinator::requestStop(Slot who) {
  if (ending_ || stop_.isRequested()) return;
  stop_ = {.by = who, .reason = toString(who) + " was asked to stop", .since = now_};
  if (!admission_.started()) return endStop();
  for (const Slot slot : admission_.roster().workerSlots()) {
    if (members_.isGone(slot) || !members_.has(slot)) {
      vote_.lost(slot);  // after its last step, or in a change
    } else {
      send(slot, wire::MessageType::kPrepare);
    }
  }
  if (change_.current().kind == ChangeOrder::Kind::kHaltNow) hurry();
}

/// A worker answers PREPARE: of a stop, or of a planned change of members.
void Coordinator::onPrepared(Slot from, Step begun) {
  if (!stop_.isRequested()) return carryOut(change_.prepared(from, begun));
  const auto step = vote_.prepared(from, begun);
  if (!step || stop_.writer) return;
  for (const Slot slot : members_.workers())
    send(slot, wire::MessageType::kCommit, *step);
}

void Coordinator::watchStop() {
  const Duration since = now_ - stop_.since;
  if (since >= StopTimes::kRelease) {
    for (const Slot slot : missingWorkers())
      stop_.reason +=
          "; " + toString(slot) + " did not stop within " + durationText(StopTimes::kRelease);
    return endStop();
  }
  if (!admission_.started() || vote_.allStopped()) return endStop();
  if (since >= StopTimes::kHurry && !stop_.writer) hurry();
  if (stop_.writer) confirmInHurry();
}

/// The step that all should finish may never come: each worker stops after the last one that it
/// has, and one writes a checkpoint. All have the same weights, so that is the lowest one whose
/// trainer is free: another may be in a long evaluation, or hang. But without a volume nobody
/// writes.
void Coordinator::hurry() {
  const std::vector<Slot> living = members_.workers();
  if (living.empty()) return;  // then all are gone, and the job ends as stopped
  const auto fitness = [this](Slot slot) {
    if (members_.lacking().contains(slot)) return 0;
    const bool has_volume = admission_.joined().at(slot).request.volume.has_value();
    return 1 + (stalls_.isFree(slot) ? 1 : 0) + (has_volume ? 2 : 0);
  };
  if (!stop_.writer || members_.isGone(*stop_.writer))
    stop_.writer = *std::ranges::max_element(living, {}, fitness);
  for (const Slot slot : living)
    sendHurry(slot);
}

void Coordinator::sendHurry(Slot worker) {
  const wire::Commit how =
      worker == stop_.writer ? wire::Commit::kStopNowAndCheckpoint : wire::Commit::kStopNow;
  send(worker, wire::MessageType::kCommit, 0, static_cast<std::uint64_t>(how));
}

/// Lets the writer complete its checkpoint, although not all can say that they have its weights:
/// when those that live are through, have reported weights or have had their time, and none
/// contradicts. The roster's writer, where another writes, is not through before it gets the
/// answer: it has drafted a checkpoint, too.
void Coordinator::confirmInHurry() {
  const auto report = audit_.uncontested(*stop_.writer);
  if (!report || report->step == stop_.confirmed) return;
  const std::vector<Slot> missing = missingWorkers();
  const bool others = std::ranges::any_of(missing, [&](Slot slot) {
    return slot != stop_.writer && !audit_.hasReported(slot, report->step);
  });
  if (others && now_ - stop_.since < StopTimes::kConfirm) return;
  stop_.confirmed = report->step;
  send(*stop_.writer, wire::MessageType::kWeightsCrc, report->step, report->crc);
  // If another worker writes, the roster's writer may have drafted a checkpoint all the same.
  const Slot drafter = members_.writer();
  const auto draft = audit_.uncontested(drafter);
  if (stop_.writer != drafter && draft && draft->step == report->step)
    send(drafter, wire::MessageType::kWeightsCrc, report->step, report->crc);
}

/// The workers that live and have not stopped.
std::vector<Slot> Coordinator::missingWorkers() const {
  std::vector<Slot> missing = members_.workers();
  std::erase_if(missing, [this](Slot slot) { return vote_.isThrough(slot); });
  return missing;
}

}  // namespace sumac
