#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/slot.h"
#include "common/base/step.h"

namespace sumac {

/// Orders rosters; the higher one is in force.
struct RosterOrder {
  std::uint32_t term = 0;
  std::uint32_t generation = 0;

  auto operator<=>(const RosterOrder&) const = default;
};

/// The most words that data can have: bounds what a peer may make us plan for.
inline constexpr int kLargestVocabulary = 10'000'000;

struct RosterEntry {
  Member member;
  std::string endpoint;  // where it listens for data; empty for workers under central servers

  bool operator==(const RosterEntry&) const = default;
};

/// Who is a member, as the coordinator decided. A value type, ordered by slot.
struct Roster {
  RosterOrder order;
  std::vector<RosterEntry> members;  // sorted by slot
  Step start_step = 0;               // the checkpoint that all begin from; 0 for none
  std::string kernels;  // variant that all workers compute with: part of the numerics id
  int vocabulary = 0;   // words of the data, which servers do not read; 0 for none

  int workers() const;
  int servers() const;
  /// The position of a worker among the workers, from 0; -1 when it is no member.
  int positionOf(const Member& worker) const;
  const RosterEntry* find(Slot slot) const;
};

/// As JSON, at most 64 KiB for 1,000 members.
std::string toJson(const Roster& roster);
/// Checks everything: sorted, no slot twice, at least one worker.
Result<Roster> rosterFromJson(std::string_view text);

}  // namespace sumac
