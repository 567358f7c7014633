#pragma once

#include <cstdint>
#include <string_view>

namespace sumac::wire {

/// Identifies a job in every header: 64 bits of the SHA-256 of its name, its attempt and, where it
/// has one, its secret token; so that messages of an earlier attempt are rejected, and those of
/// who does not know the token.
std::uint64_t jobHash(std::string_view job_name, std::string_view attempt,
                      std::string_view token = {});

}  // namespace sumac::wire
