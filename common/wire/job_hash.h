#pragma once

#include <cstdint>
#include <string_view>

namespace sumac::wire {

/// Identifies a job in every header: 64 bits of the SHA-256 of its name and attempt, so that
/// messages of an earlier attempt are rejected.
std::uint64_t jobHash(std::string_view job_name, std::string_view attempt);

}  // namespace sumac::wire
