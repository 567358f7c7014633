#include <algorithm>
#include <chrono>
#include <string>

#include <nlohmann/json.hpp>

#include "base/core/units.h"
#include "exchange/coordinator/coordinator.h"
#include "job/progress/job_event.h"

// Members are lost, do not join or hang, and what that means for the others.

namespace sumac {

namespace {

constexpr std::ptrdiff_t kMostNames = 5;

/// "worker 1, worker 2", or with more than a few "worker 1, ... and 12 more".
std::string namesOf(const std::vector<Slot>& slots) {
  std::string names;
  for (const Slot slot : slots) {
    if (&slot - slots.data() == kMostNames)
      return names + " and " + std::to_string(std::ssize(slots) - kMostNames) + " more";
    names += (names.empty() ? "" : ", ") + toString(slot);
  }
  return names;
}

}  // namespace

/// A loss that does not end the job, for people.
void Coordinator::tellLoss(Slot member, const std::string& why) {
  const nlohmann::ordered_json event{{"event", "lost"}, {"member", toString(member)}, {"why", why}};
  listener_->onProgress(event.dump());
}

/// Why a job ends, or its members change.
std::string Coordinator::lossText(const std::string& members, const std::string& why) {
  return "lost " + members + " (" + why + ")";
}

/// Before the first roster nobody depends on a member: another process can take its slot. After it
/// a loss ends the job, unless nothing more is expected of the member.
void Coordinator::lost(Slot member, const std::string& why) {
  if (ending_) return;
  stalls_.forget(member);
  if (!admission_.started()) {
    admission_.remove(member);
    return tellLoss(member, why);
  }
  if (changes_ && !stop_.isRequested()) return loseOneOfMany(member, why);
  members_.markGone(member);
  const std::string text = lossText(toString(member), why);
  if (!stop_.isRequested()) {
    if (!members_.isDispensable(member))
      return end(wire::MessageType::kAbort, ExitCode::kLostPeers, text);
    tellLoss(member, why);
    if (member.role == Role::kWorker) vote_.finished(member);
    return endWhereAllAreThrough();
  }
  stop_.reason += "; " + text;
  if (member.role == Role::kWorker) vote_.lost(member);
  if (vote_.allStopped()) return endStop();
  hurry();
}

/// A worker has the weights of the last step. Reports the members that are dispensable from now on.
void Coordinator::onTrained(Slot worker) {
  if (!members_.markTrained(worker)) return;
  change_.dropPlan();
  for (const Slot slot : members_.takeDispensable())
    listener_->onProgress(toLine(MemberDispensable{slot}));
}

void Coordinator::endWhereAllAreThrough() {
  if (vote_.allFinished()) end(wire::MessageType::kComplete, ExitCode::kDone, result_);
}

/// Of the members that are missing, those that came and did not fit: the others wait for processes
/// that do.
std::string Coordinator::refusalsText() const {
  std::string text;
  for (const Slot slot : admission_.vacantSlots()) {
    const auto refused = refusals_.find(slot);
    if (refused != refusals_.end())
      text += "; " + toString(slot) + " was refused: " + refused->second;
  }
  return text;
}

/// Ends a job whose members have not all joined in time.
void Coordinator::watchJoining() {
  if (admission_.isComplete() || now_ - started_ < limits_.join) return;
  end(wire::MessageType::kAbort, ExitCode::kLostPeers,
      "not all members joined within " + durationText(limits_.join) +
          " (spec.runPolicy.joinSeconds): " + namesOf(admission_.vacantSlots()) +
          (std::ssize(admission_.vacantSlots()) == 1 ? " is missing" : " are missing") +
          refusalsText());
}

/// Takes a worker whose trainer hangs for lost: its reactor still answers, so nobody else would
/// notice. The worker gets a message, too, and ends its process.
void Coordinator::watchTrainers() {
  const std::vector<Slot> hanging = stalls_.tick(now_);
  if (hanging.empty() || ending_ || stop_.isRequested()) return;
  const std::string why = "heartbeats, but no progress for " + durationText(*limits_.stalled) +
                          ", spec.runPolicy.stalledAfterSeconds";
  if (!changes_)
    return end(wire::MessageType::kAbort, ExitCode::kLostPeers, lossText(namesOf(hanging), why));
  for (const Slot slot : hanging)
    expel(slot, why);
}

/// Takes a member that lives for lost, and tells it to end.
void Coordinator::expel(Slot member, const std::string& why) {
  const Member process = admission_.joined().at(member).member;
  liveness_.forget(member);
  lost(member, why);
  answer(process, wire::MessageType::kAbort,
         static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)),
         "the others go on without " + toString(member) + " (" + why + ")");
}

}  // namespace sumac
