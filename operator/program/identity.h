#pragma once

#include <cstdint>
#include <string>

namespace sumac::program {

/// The name of the machine or pod; "unknown" if it has none.
std::string hostName();

/// The identity of a lease holder: the host name, for people, and random bits, so that a restarted
/// process has another identity. Example: "sumac-operator-7d4b_0123456789abcdef".
std::string identityFrom(std::uint64_t random);

}  // namespace sumac::program
