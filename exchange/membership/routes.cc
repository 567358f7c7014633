#include "exchange/membership/routes.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/core/check.h"

namespace sumac {
namespace {

/// Where halving lets go of `position`'s half: the lowest bit in which it differs from the owner.
unsigned firstDifference(int position, int owner) {
  const auto difference = static_cast<unsigned>(position) ^ static_cast<unsigned>(owner);
  return difference & (~difference + 1U);
}

}  // namespace

Routes::Routes(const Roster& roster, int parts) : shards_(roster.shards), parts_(parts) {
  for (const RosterEntry& entry : roster.members) {
    if (entry.member.slot.role != Role::kWorker) continue;
    const auto index = static_cast<std::size_t>(entry.member.slot.index);
    if (index >= positions_.size()) positions_.resize(index + 1, -1);
    positions_[index] = workers();
    indices_.push_back(entry.member.slot.index);
  }
}

int Routes::position(Slot worker) const {
  const auto index = static_cast<std::size_t>(worker.index);
  const bool is_known = worker.role == Role::kWorker && index < positions_.size();
  SUMAC_CHECK(is_known && positions_[index] >= 0, worker);
  return positions_[index];
}

Slot Routes::at(int position) const {
  return {Role::kWorker, indices_.at(static_cast<std::size_t>(position))};
}

int Routes::ownerPosition(std::uint32_t range) const {
  return position({Role::kWorker, shards_.owners().at(range)});
}

bool Routes::sums(Slot slot, std::uint32_t range) const {
  if (shards_.owns(slot, range)) return true;
  if (slot.role != Role::kWorker) return false;
  if (isRing()) return true;
  return halves() && firstDifference(position(slot), ownerPosition(range)) > 1;
}

std::optional<Slot> Routes::next(Slot slot, std::uint32_t range) const {
  if (shards_.owns(slot, range)) return std::nullopt;
  if (isRing()) return at((position(slot) + 1) % workers());
  if (halves()) {
    const auto here = static_cast<unsigned>(position(slot));
    const unsigned partner = here ^ firstDifference(position(slot), ownerPosition(range));
    return at(static_cast<int>(partner));
  }
  return Slot{shards_.role(), shards_.owners().at(range)};
}

bool Routes::contributes(Slot worker, Slot slot, std::uint32_t range) const {
  if (isDirect()) return slot.role == Role::kWorker;
  if (sums(worker, range)) return slot == worker;
  return next(worker, range) == slot;
}

bool Routes::takes(Slot slot, Slot from, std::uint32_t range) const {
  if (slot == from) return sums(slot, range);
  return isDirect() ? slot.role == Role::kWorker : next(from, range) == slot;
}

TreeNode Routes::block(Slot worker) const {
  return blockOf(position(worker), workers(), parts_);
}

TreeNode Routes::passed(Slot worker, std::uint32_t range) const {
  if (!halves()) return block(worker);
  const int here = position(worker);
  const unsigned difference = firstDifference(here, ownerPosition(range));
  const int group = difference == 0 ? workers() : static_cast<int>(difference);
  const int first = here - here % group;
  return {blockOf(first, workers(), parts_).begin,
          blockOf(first + group - 1, workers(), parts_).end};
}

int Routes::hop(Slot worker, std::uint32_t range) const {
  const int count = workers();
  return (position(worker) - ownerPosition(range) - 1 + count) % count + 1;
}

bool Routes::areNeighbours(Slot a, Slot b) const {
  if (a == b) return false;
  if (shards_.role() == Role::kServer) return a.role != b.role;
  if (a.role != Role::kWorker || b.role != Role::kWorker) return false;
  const int distance = std::abs(position(a) - position(b));
  if (isRing()) return distance == 1 || distance == workers() - 1;
  if (!halves()) return true;
  return std::has_single_bit(static_cast<unsigned>(position(a)) ^
                             static_cast<unsigned>(position(b)));
}

}  // namespace sumac
