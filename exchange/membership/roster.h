#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/slot.h"
#include "base/core/step.h"
#include "exchange/membership/method_choice.h"
#include "exchange/membership/shard_map.h"

namespace sumac {

/// Orders rosters; the highest one is valid.
struct RosterOrder {
  std::uint32_t term = 0;
  std::uint32_t generation = 0;

  auto operator<=>(const RosterOrder&) const = default;

  /// The first roster of an attempt.
  bool isFirst() const { return term == 1 && generation == 1; }
};

/// Terms and generations that others state are refused above this, far beyond any job's: so none
/// wraps.
inline constexpr std::uint64_t kMostTerm = std::uint64_t{1} << 31U;

/// The largest size of what a job sums: the values of 2 GiB. Limits the plan that a peer can make
/// us compute.
inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 29U;

struct RosterEntry {
  Member member;
  std::string endpoint;  // where it listens

  bool operator==(const RosterEntry&) const = default;
};

/// The members of a job, as the coordinator decided. A value type, ordered by slot.
struct Roster {
  RosterOrder order;
  std::vector<RosterEntry> members;  // sorted by slot
  Step start_step = 0;               // the step whose state all start from; 0: as the job begins
  std::string kernels;               // kernel variant of all workers; part of the numerics id
  std::int64_t size = 0;             // of the data's words or a program's vector; 0 for none
  ShardMap shards;                   // who sums which range
  // How that was chosen, where the job leaves it open; `method` is that of the shards.
  std::optional<MethodChoice> choice = std::nullopt;
  // The worker that evaluates, writes files and reports progress.
  Slot writer{Role::kWorker, 0};
  Step evaluated = 0;  // the newest step whose evaluation is known to be done; 0: none
  // Workers that lack the state of start_step, each with the worker that sends it. Chains: one that
  // lacks it itself passes on what comes.
  std::map<Slot, Slot> sources = {};

  int workers() const;
  int servers() const;
  /// The position of a worker among the workers, from 0; -1 when it is not a member.
  int positionOf(const Member& worker) const;
  std::vector<Slot> workerSlots() const;
  const RosterEntry* find(Slot slot) const;
  bool has(const Member& member) const {
    const RosterEntry* const entry = find(member.slot);
    return entry != nullptr && entry->member == member;
  }
  /// Whether one of the two sends the other a state.
  bool areSourceAndReceiver(Slot a, Slot b) const;
};

/// As JSON, at most 64 KiB for the largest job (job/document/limits.h).
std::string toJson(const Roster& roster);
/// Fails with kInvalid unless it is sorted, has no slot twice, has at least one worker, and names
/// members as the owners of its ranges, as its writer and as the sources of states, which lead to a
/// worker that has one.
Result<Roster> rosterFromJson(std::string_view text);

}  // namespace sumac
