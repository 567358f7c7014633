#pragma once

#include <cstdint>
#include <string>

namespace sumac {

/// Of the machine or the pod; "unknown" where it has none.
std::string hostName();

/// What the holder of a lease calls itself: the host's name, for people, and random bits, so that a
/// process that was started again is another one. "sumac-operator-7d4b_0123456789abcdef".
std::string identityFrom(std::uint64_t random);

}  // namespace sumac
