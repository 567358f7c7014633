#include <algorithm>
#include <string>
#include <utility>

#include "exchange/coordinator/coordinator.h"

// Members that come, go and are lost while a job trains on: how one roster follows another.

namespace sumac {

using wire::MessageType;

// Who is there

/// Of the process that the roster names: another one of the slot may have joined since.
bool Coordinator::isInRoster(Slot slot) const {
  if (!admission_.started()) return false;
  const RosterEntry* const entry = admission_.roster().find(slot);
  return entry != nullptr && admission_.isMember(entry->member);
}

/// The workers of the roster that live.
std::vector<Slot> Coordinator::workersOfRoster() const {
  std::vector<Slot> workers = admission_.roster().workerSlots();
  std::erase_if(workers, [this](Slot slot) { return !isInRoster(slot) || gone_.contains(slot); });
  return workers;
}

Slot Coordinator::writerOfRoster() const {
  return admission_.started() ? admission_.roster().writer : Slot{Role::kWorker, 0};
}

/// Whether nobody would train, or nobody sum, without these.
bool Coordinator::wouldEndWithout(const std::set<Slot>& gone) const {
  const auto isThere = [&](Slot slot) { return !gone.contains(slot); };
  if (std::ranges::none_of(workersOfRoster(), isThere)) return true;
  if (admission_.roster().shards.role() == Role::kWorker) return false;
  return std::ranges::none_of(admission_.joined(), [&](const auto& joined) {
    return joined.first.role == Role::kServer && isThere(joined.first);
  });
}

// What happens

void Coordinator::noteCause(const std::string& what) {
  causes_ += (causes_.empty() ? "" : ", ") + what;
}

/// Admitted for the next roster; the process that had the slot before is lost.
void Coordinator::takeIn(const Member& member, const Admission::Outcome& admitted) {
  const Slot slot = member.slot;
  gone_.erase(slot);
  leaving_.erase(slot);
  noteCause(toString(slot) + " joined");
  if (stop_.requested()) return;
  if (admitted.superseded && admission_.roster().has(*admitted.superseded))
    goOnWithout(slot, "it was started again");
  // It may be in a roster already, where all others had halted.
  if (trained_.empty() && !isInRoster(slot)) change_.plan(now_);
}

void Coordinator::loseOneOfMany(Slot member, const std::string& why) {
  listener_->onProgress(lossEvent(member, why));
  const bool was_in_roster = isInRoster(member);
  admission_.remove(member);
  if (was_in_roster) goOnWithout(member, why);
}

/// Without the process that the roster names.
void Coordinator::goOnWithout(Slot member, const std::string& why) {
  if (isDispensable(member)) {
    if (member.role == Role::kWorker) stop_.finished(member);
    carryOut(change_.forget(member));
    return endWhereAllAreThrough();
  }
  const std::string text = "lost " + toString(member) + " (" + why + ")";
  noteCause(text);
  if (wouldEndWithout({})) return end(MessageType::kAbort, ExitCode::kLostPeers, text);
  carryOut(change_.lost(member));
}

/// The coordinator leaves last, so its own leave is a stop of all.
void Coordinator::onLeave(Slot from) {
  if (!changes_ || from == self_.slot || stop_.requested() || !admission_.started())
    return requestStop(from);
  if (!isInRoster(from)) return release(from);
  if (!leaving_.insert(from).second) return;
  // Who waits for the state is no worker yet: with the last that has it, the job would be lost.
  std::set<Slot> gone = leaving_;
  gone.insert(lacking_.begin(), lacking_.end());
  if (wouldEndWithout(gone)) return requestStop(from);
  noteCause(toString(from) + " was asked to stop");
  change_.plan(now_);
}

void Coordinator::onHalted(Slot from, const wire::Header& header) {
  if (stop_.requested()) return;
  carryOut(change_.halted(from, header.first == 0 ? std::optional(header.step) : std::nullopt));
}

/// Nothing more is expected of it.
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

// The change

void Coordinator::carryOut(const ChangeOrder& order) {
  if (order.kind == ChangeOrder::Kind::kIssue) return issueNext();
  for (const Slot worker : workersOfRoster())
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

/// All workers have halted: those that leave are released, and the others, with all that have
/// joined, go on together.
void Coordinator::issueNext() {
  if (wouldEndWithout(leaving_)) return requestStop(*leaving_.begin());
  for (const Slot slot : std::exchange(leaving_, {})) {
    if (isInRoster(slot)) release(slot);
  }
  admission_.issueNext(nextRoster());
  beginRoster();
}

/// Where to start, and who gets the state of that step from whom: from all who have it in turn, the
/// writer last, and along a chain from each.
Admission::Next Coordinator::nextRoster() const {
  Admission::Next next{.evaluated = evaluated_};
  std::map<Slot, std::optional<Step>> done;
  for (const auto& [slot, joined] : admission_.joined()) {
    if (slot.role != Role::kWorker) continue;
    const auto halted = change_.halted().find(slot);
    const bool has_halted = isInRoster(slot) && halted != change_.halted().end();
    done[slot] = has_halted ? halted->second : std::nullopt;
  }
  const auto most = std::ranges::max_element(
      done, {}, [](const auto& entry) { return entry.second.value_or(-1); });
  if (!most->second) return fromCheckpoint(next);
  next.start_step = *most->second;
  std::vector<Slot> ends;  // of chains
  for (const auto& [slot, step] : done) {
    if (step == next.start_step && slot != writerOfRoster()) ends.push_back(slot);
  }
  const auto writer = done.find(writerOfRoster());
  const bool writer_has = writer != done.end() && writer->second == next.start_step;
  if (writer_has) ends.push_back(writer->first);
  next.writer = writer != done.end() ? writer->first : ends.front();
  std::size_t chain = 0;
  for (const auto& [slot, step] : done) {
    if (step == next.start_step) continue;
    Slot& end = ends[chain++ % ends.size()];
    next.sources[slot] = std::exchange(end, slot);
  }
  return next;
}

/// The state is in nobody's memory: one worker reads the newest checkpoint, the others get it in a
/// chain. Without one, each makes the first state itself.
Admission::Next Coordinator::fromCheckpoint(Admission::Next next) const {
  const auto& joined = admission_.joined();
  const auto first = joined.lower_bound({Role::kWorker, 0});
  next.writer = joined.contains(writerOfRoster()) ? writerOfRoster() : first->first;
  next.start_step = std::max(checkpoint_, joined.at(next.writer).request.newest_checkpoint);
  Slot end = next.writer;
  for (auto it = first; it != joined.end() && next.start_step > 0; ++it) {
    if (it->first != next.writer) next.sources[it->first] = std::exchange(end, it->first);
  }
  return next;
}

/// Of a roster that was made just now.
void Coordinator::beginRoster() {
  const Roster& roster = admission_.roster();
  const std::vector<Slot> workers = roster.workerSlots();
  change_ = MembershipChange({workers.begin(), workers.end()});
  stop_ = StopVote(roster.workers());
  audit_ = WeightsAudit(roster.workers());
  gone_.clear();
  trained_.clear();
  dispensable_.clear();
  lacking_.clear();
  for (const auto& [receiver, source] : roster.sources)
    lacking_.insert(receiver);
  announceRoster();
  causes_.clear();
}

}  // namespace sumac
