#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/core/result.h"
#include "job/document/pattern.h"

namespace sumac::planner {

/// What a figure of a machine, or a limit of a plan, is an amount of.
enum class Dimension : std::uint8_t { kMemory, kRate, kBandwidth, kLink, kLatency, kDuration };
inline constexpr std::array kDimensions = {Dimension::kMemory,    Dimension::kRate,
                                           Dimension::kBandwidth, Dimension::kLink,
                                           Dimension::kLatency,   Dimension::kDuration};

/// The least and the most that makes sense, as they are written: what is beyond was mistyped.
struct AmountRange {
  std::string_view least;
  std::string_view most;
};

AmountRange rangeOf(Dimension dimension);

/// How an amount is written in files and on the command line: a number followed by its unit, which
/// is never left out; a space may stand between them. Memory "32Gi", computing "289GFLOP/s",
/// memory's bandwidth "25GB/s", a link "10Gbit", a latency "50us", a duration "1.5d". Units are
/// decimal but for those of memory with an i, as Kubernetes and `tc` have them.
job::Pattern patternOf(Dimension dimension);

/// The amount in bytes, operations a second, bytes a second (of a link, too), or seconds. Fails
/// with kInvalid where `text` does not fit the pattern or lies outside of the range: "found 0Gi,
/// must be >= 16Mi, <= 64Ti".
Result<double> amountIn(Dimension dimension, std::string_view text);

/// The number before a unit: "12", "12.5", without sign and exponent, with a space after it or not.
std::optional<double> numberIn(std::string_view text);

}  // namespace sumac::planner
