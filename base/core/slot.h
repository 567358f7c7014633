#pragma once

#include <compare>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/enum_text.h"

namespace sumac {

enum class Role : std::uint8_t { kServer = 0, kWorker = 1 };

std::string_view toString(Role role);

/// The most that an index can be, in any job.
inline constexpr int kLargestIndex = 999'999;

/// A place in a job: role and index. Servers order before workers, so that the lowest slot
/// coordinates.
struct Slot {
  Role role = Role::kServer;
  int index = 0;

  auto operator<=>(const Slot&) const = default;
};

/// "worker 3".
std::string toString(Slot slot);
std::ostream& operator<<(std::ostream& out, Slot slot);

/// All slots of a job, servers first.
std::vector<Slot> slotsOf(int servers, int workers);

/// Who coordinates a job with so many servers: server 0, or worker 0 where there are none.
inline Slot coordinatorOf(int servers) {
  return {servers > 0 ? Role::kServer : Role::kWorker, 0};
}

/// One start of one process: random, so that a restarted pod is never taken for its predecessor.
/// Never 0.
using Incarnation = std::uint64_t;

/// A slot and the process that holds it.
struct Member {
  Slot slot;
  Incarnation incarnation = 0;

  auto operator<=>(const Member&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Member& member);

}  // namespace sumac
