#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace sumac {

/// Time of day in UTC, for what other machines and people read: timestamps of objects, deadlines
/// that outlive a process. Whatever this process alone measures takes Clock instead.
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

/// The machine's time of day, as a parameter: tests pass one that they move by hand. Safe from any
/// thread.
class WallClock {
 public:
  virtual ~WallClock() = default;
  virtual WallTime now() const = 0;
};

class SystemWallClock final : public WallClock {
 public:
  WallTime now() const override;
};

/// RFC 3339: "2026-01-31T12:00:00Z" (Time of Kubernetes) and "2026-01-31T12:00:00.000000Z" (its
/// MicroTime, always six digits). Years outside 0000 to 9999 are not for these.
std::string toRfc3339(WallTime time);
std::string toRfc3339Micro(WallTime time);

/// Reads either form, any number of digits of a second, and offsets such as +02:00. Fails with
/// kInvalid on anything else.
Result<WallTime> parseRfc3339(std::string_view text);

}  // namespace sumac
