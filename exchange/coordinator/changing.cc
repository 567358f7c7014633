#include <algorithm>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/units.h"
#include "exchange/coordinator/coordinator.h"
#include "exchange/coordinator/next_roster.h"
#include "exchange/wire/order.h"
#include "exchange/wire/suspect.h"

// How one roster follows another: members join, leave and are lost while the job trains on.

namespace sumac {

using wire::MessageType;

// What happens

/// A new process was admitted for the next roster: the one that had its slot before is lost.
void Coordinator::takeIn(const Member& member, const Admission::Outcome& admitted) {
  const Slot slot = member.slot;
  members_.markBack(slot);
  leaving_.erase(slot);
  report_.addCause(toString(slot) + " joined");
  if (stop_.isRequested()) return;
  if (admitted.superseded) flapping_.lost(slot, now_);
  if (admitted.superseded && admission_.roster().has(*admitted.superseded))
    goOnWithout(slot, "it was started again");
  // It may be in a roster already, where all others had halted.
  if (!members_.hasAnyTrained() && !members_.has(slot)) change_.plan(now_);
}

void Coordinator::loseOneOfMany(Slot member, const std::string& why) {
  tellLoss(member, why);
  const bool was_in_roster = members_.has(member);
  flapping_.lost(member, now_);
  admission_.remove(member);
  if (was_in_roster) goOnWithout(member, why);
}

/// The job continues without this slot's process of the roster.
void Coordinator::goOnWithout(Slot member, const std::string& why) {
  suspicions_.forget(member);
  const std::string text = lossText(toString(member), why);
  if (members_.isDispensable(member)) {
    if (member.role == Role::kWorker) vote_.finished(member);
    // Others were lost before, whose work was not done.
    if (members_.workers().empty() && !vote_.allFinished())
      return end(MessageType::kAbort, ExitCode::kLostPeers, text);
    carryOut(change_.forget(member));
    return endWhereAllAreThrough();
  }
  report_.addCause(text);
  // Members that have joined since have no state.
  if (members_.workers().empty() || members_.wouldEndWithout({}))
    return end(MessageType::kAbort, ExitCode::kLostPeers, text);
  carryOut(change_.lost(member));
}

/// The coordinator leaves last, so its own leave is a stop of all.
void Coordinator::onLeave(Slot from) {
  if (stop_.isRequested()) leaving_.insert(from);
  if (!changes_ || from == self_.slot) return requestStop(from);
  if (!members_.has(from) || stop_.hands_over) return release(from);
  if (stop_.isRequested() || !leaving_.insert(from).second) return;
  if (members_.wouldEndWithout(leaving_)) return requestStop(from);
  report_.addCause(toString(from) + " was asked to stop");
  if (!leaving_since_) leaving_since_ = now_;
  planLeaves();
}

/// A worker that still waits for the state does not count: the job would be lost with the last one
/// that has it, which leaves once another worker has the state.
void Coordinator::planLeaves() {
  std::set<Slot> gone = leaving_;
  gone.insert(members_.lacking().begin(), members_.lacking().end());
  if (!leaving_.empty() && !members_.wouldEndWithout(gone)) change_.plan(now_);
}

/// If no change comes within kPatience, all members stop, with a checkpoint.
void Coordinator::watchLeaves() {
  if (leaving_.empty()) return leaving_since_.reset();
  const bool is_late = now_ - *leaving_since_ >= MembershipChange::kPatience;
  if (is_late && !change_.isUnderWay()) requestStop(*leaving_.begin());
}

void Coordinator::onReady(Slot from, std::uint64_t bytes) {
  if (!members_.markReady(from)) return;
  report_.addBytes(bytes);
  planLeaves();
  tellChange();
}

void Coordinator::onHalted(Slot from, const wire::Header& header) {
  if (stop_.hands_over) return onHandedOver(from);
  if (stop_.isRequested()) return;
  report_.beginPause(now_);
  carryOut(change_.halted(from, header.first == 0 ? std::optional(header.step) : std::nullopt));
}

/// The member has left: it may end, and nobody waits for it.
void Coordinator::release(Slot slot) {
  const Member member = admission_.joined().at(slot).member;
  liveness_.forget(slot);
  stalls_.forget(slot);
  admission_.remove(slot);
  released_.insert(member);
  tellReleased(member);
}

void Coordinator::tellReleased(const Member& member) {
  answer(member, MessageType::kRelease, static_cast<std::uint64_t>(toInt(ExitCode::kStopped)),
         toString(member.slot) + " was asked to stop; the others go on");
}

/// A worker reports that it cannot reach another member of the roster.
void Coordinator::onSuspect(Slot from, const wire::Header& header) {
  const auto slot = wire::suspectOf(header);
  if (!changes_ || !slot || *slot == from || !members_.has(*slot) || members_.haveAllTrained()) {
    ++ignored_;
    return;
  }
  suspicions_.add(from, *slot, now_);
}

void Coordinator::judgeSuspects() {
  const auto suspect = suspicions_.judge(now_, self_.slot);
  if (!suspect) return;
  suspicions_.forget(*suspect);
  expel(*suspect, "others cannot reach it");
}

/// Before its first step under this roster the writer has looked into the folder. Who wrote under
/// another coordinator may have completed that checkpoint after the workers had looked, which they
/// do as their processes begin: without it the job would go back behind what is durable.
void Coordinator::onFoundCheckpoint(const wire::Header& header) {
  const Roster& roster = admission_.roster();
  const Slot writer = header.sender.slot;
  const Step step = header.step;
  const bool is_newer = step > std::max(checkpoint_, roster.start_step) &&
                        step <= admission_.joined().at(writer).request.steps;
  if (!changes_ || stop_.isRequested() || wire::orderOf(header) != roster.order || !is_newer) {
    ++ignored_;
    return;
  }
  checkpoint_ = step;
  report_.addCause(toString(writer) + " has found a newer checkpoint");
  carryOut(change_.halt());
}

// The change

void Coordinator::carryOut(const ChangeOrder& order) {
  if (order.kind == ChangeOrder::Kind::kIssue) return issueNext();
  if (order.kind == ChangeOrder::Kind::kHaltNow) {
    report_.dropStep();
    report_.beginPause(now_);
  }
  for (const Slot worker : members_.workers())
    tell(worker, order);
}

void Coordinator::tell(Slot worker, const ChangeOrder& order) {
  const auto commit = [&](wire::Commit how) {
    send(worker, MessageType::kCommit, order.step, static_cast<std::uint64_t>(how));
  };
  switch (order.kind) {
    case ChangeOrder::Kind::kPrepare: return send(worker, MessageType::kPrepare);
    case ChangeOrder::Kind::kHaltAfter: return commit(wire::Commit::kHaltAfter);
    case ChangeOrder::Kind::kHaltNow: return commit(wire::Commit::kHaltNow);
    default: return;
  }
}

/// All workers have halted: those that leave are released, unless nobody else has the state, and
/// the others, with all that have joined, go on together.
void Coordinator::issueNext() {
  if (members_.wouldEndWithout(leaving_)) return requestStop(*leaving_.begin());
  const Step before = admission_.roster().start_step;
  if (hasStateWithout(leaving_)) {
    for (const Slot slot : std::exchange(leaving_, {})) {
      if (members_.has(slot)) release(slot);
    }
  }
  const Admission::Next next = decideNext();
  if (mustWait(next)) return;
  admission_.issueNext(next);
  report_.issue(admission_.roster(), before);
  beginRoster();
}

/// Whether those who are there cannot go on together. Told once; ends the job when others do not
/// come in time.
bool Coordinator::mustWait(const Admission::Next& next) {
  const std::string why = admission_.obstacleTo(next);
  if (why.empty()) return false;
  if (!waiting_since_) {
    waiting_since_ = now_;
    listener_->onProgress(nlohmann::ordered_json{
        {"event", "waiting"},
        {"step", next.start_step},
        {"why", why}}.dump());
  }
  if (now_ - *waiting_since_ >= limits_.join)
    end(MessageType::kAbort, ExitCode::kLostPeers,
        why + ", and no others joined within " + durationText(limits_.join) +
            " (spec.runPolicy.joinSeconds)");
  return true;
}

/// Whether a worker that stays has halted with a state; true if nobody has one.
bool Coordinator::hasStateWithout(const std::set<Slot>& leavers) const {
  bool has_leaver = false;
  for (const auto& [slot, done] : change_.halted()) {
    if (!done || !members_.has(slot)) continue;
    if (!leavers.contains(slot)) return true;
    has_leaver = true;
  }
  return !has_leaver;
}

/// The next roster of all that have joined, by the states of those that have halted.
Admission::Next Coordinator::decideNext() const {
  KnownStates known{.halted = {},
                    .writer = members_.writer(),
                    .evaluated = evaluated_,
                    .checkpoint = checkpoint_};
  for (const auto& [slot, done] : change_.halted()) {
    if (members_.has(slot)) known.halted[slot] = done;
  }
  return nextRoster(admission_, known);
}

/// A member that had lost this coordinator has come back halted: all others halt, too, and the next
/// roster has them all.
void Coordinator::takeBack(Slot member, BytesView payload) {
  const auto request = joinRequestFromJson(asText(payload));
  const bool has_halted = request && request->followed && request->followed->has_halted &&
                          request->followed->order == admission_.roster().order;
  if (!changes_ || !has_halted || stop_.isRequested()) return;
  report_.addCause(toString(member) + " came back");
  carryOut(change_.halt());
  if (member.role == Role::kWorker) carryOut(change_.halted(member, request->followed->done));
}

/// The roster was issued just now: nothing that members said under the one before counts.
void Coordinator::beginRoster() {
  const Roster& roster = admission_.roster();
  const std::vector<Slot> workers = roster.workerSlots();
  members_ = RosterMembers(admission_, self_.slot);
  change_ = MembershipChange({workers.begin(), workers.end()});
  vote_ = StopVote(roster.workers());
  audit_ = WeightsAudit(roster.workers());
  waiting_since_.reset();
  suspicions_ = {};
  stragglers_ = StragglerWatch(roster.workers());
  announceRoster();
  tellChange();
}

/// Reports the change once all workers have the state.
void Coordinator::tellChange() {
  if (!members_.lacking().empty()) return;
  if (const auto change = report_.finish(now_)) listener_->onProgress(toLine(*change));
}

}  // namespace sumac
