#pragma once

#include <cstdint>

namespace sumac {

/// What a worker has computed so far, as its heartbeats tell: steps, and for how long in all it has
/// computed one of its parts. Two of them tell how long a part takes it. A value type of 8 bytes,
/// which an atomic holds; both numbers begin anew after 2^32.
struct PartTime {
  std::uint32_t steps = 0;
  std::uint32_t milliseconds = 0;

  bool operator==(const PartTime&) const = default;
};

}  // namespace sumac
