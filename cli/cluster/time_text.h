#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/core/wall_time.h"

namespace sumac::cli {

/// "45s", "3m20s", "47m", "5h12m", "3d4h", "90d": with as much precision as kubectl shows. Less
/// than nothing is "0s".
std::string durationText(std::chrono::seconds duration);

/// The time since `time`; "<unknown>" where it is not known.
std::string ageText(std::optional<WallTime> time, WallTime now);

/// "90s", "5m", "2h", "1d" and sums of them, above zero; nothing for other text.
std::optional<std::chrono::seconds> durationFrom(const std::string& text);

}  // namespace sumac::cli
