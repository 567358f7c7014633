#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exchange/plan/exchange_plan.h"

namespace sumac {

/// Consecutive ranges of one owner, which travel in one message.
struct RangeRun {
  std::uint32_t range = 0;   // the first one
  std::uint32_t ranges = 0;  // how many
  std::int64_t first = 0;    // first value
  std::int64_t count = 0;    // values

  bool operator==(const RangeRun&) const = default;
};

/// The ranges with the ids `owned` (ascending), in the fewest runs of at most plan.longest_run
/// values, in order. A larger range is a run of its own.
std::vector<RangeRun> runsOf(const ExchangePlan& plan, const std::vector<std::uint32_t>& owned);

/// The run that begins with `range` at the value `first` and has `count` values. Nothing unless it
/// is made of whole ranges of the plan; for numbers from an untrusted peer.
std::optional<RangeRun> findRun(const ExchangePlan& plan, std::uint32_t range, std::uint64_t first,
                                std::uint32_t count);

}  // namespace sumac
