#include "exchange/coordinator/roster_members.h"

#include <algorithm>
#include <iterator>

namespace sumac {

RosterMembers::RosterMembers(const Admission& admission, Slot self)
    : admission_(&admission), self_(self) {
  for (const auto& [receiver, source] : admission.roster().sources)
    lacking_.insert(receiver);
}

bool RosterMembers::has(Slot slot) const {
  const RosterEntry* const entry = admission_->roster().find(slot);
  return entry != nullptr && admission_->isMember(entry->member);
}

std::vector<Slot> RosterMembers::workers() const {
  std::vector<Slot> workers = admission_->roster().workerSlots();
  std::erase_if(workers, [this](Slot slot) { return !has(slot) || isGone(slot); });
  return workers;
}

Slot RosterMembers::writer() const {
  return admission_->roster().writer;
}

bool RosterMembers::wouldEndWithout(const std::set<Slot>& leavers) const {
  const auto has = [&](Role role) {
    return std::ranges::any_of(admission_->joined(), [&](const auto& joined) {
      const Slot slot = joined.first;
      return slot.role == role && !isGone(slot) && !leavers.contains(slot);
    });
  };
  return !has(Role::kWorker) || !has(admission_->roster().shards.role());
}

bool RosterMembers::haveAllTrained() const {
  return std::ssize(trained_) == admission_->roster().workers();
}

bool RosterMembers::isDispensable(Slot member) const {
  if (member == writer() || member == self_) return false;
  const auto& sources = admission_->roster().sources;
  const bool is_awaited =
      std::ranges::any_of(lacking_, [&](Slot worker) { return sources.at(worker) == member; });
  if (is_awaited) return false;  // whoever waits for its state would wait for ever
  const bool sums = member.role == admission_->roster().shards.role();
  return sums ? haveAllTrained() : trained_.contains(member);
}

std::vector<Slot> RosterMembers::takeDispensable() {
  std::vector<Slot> slots;
  for (const RosterEntry& entry : admission_->roster().members) {
    const Slot slot = entry.member.slot;
    if (isDispensable(slot) && dispensable_.insert(slot).second) slots.push_back(slot);
  }
  return slots;
}

}  // namespace sumac
