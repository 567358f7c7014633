#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/job/pattern.h"

namespace sumac::planner {

/// What a figure of a machine is an amount of.
enum class Dimension : std::uint8_t { kMemory, kRate, kBandwidth, kLink, kTime };
inline constexpr std::array kDimensions = {Dimension::kMemory, Dimension::kRate,
                                           Dimension::kBandwidth, Dimension::kLink,
                                           Dimension::kTime};

/// The least and the most that a machine may have: what is beyond was mistyped.
struct AmountRange {
  double least = 0;
  double most = 0;
  std::string_view least_text;
  std::string_view most_text;
};

AmountRange rangeOf(Dimension dimension);

/// How an amount is written: a number, at once followed by a unit, which is never left out.
/// Memory "32Gi", computing "289GFLOP/s", memory's bandwidth "25GB/s", a link "10Gbit", a time
/// "50us". Units are decimal but for those of memory, as Kubernetes and `tc` have them.
job::Pattern patternOf(Dimension dimension);

/// The amount in bytes, operations a second, bytes a second, bits a second, or seconds; nothing
/// where `text` does not fit the pattern. Whether it lies in the range is not looked at.
std::optional<double> amountIn(Dimension dimension, std::string_view text);

}  // namespace sumac::planner
