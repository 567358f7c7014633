#pragma once

#include <cstdint>
#include <string_view>

namespace sumac::wire {

/// What stands for a job in every header: 64 bits of the SHA-256 of its name and attempt, so that a
/// process of an earlier attempt is never heard.
std::uint64_t jobHash(std::string_view job_name, std::string_view attempt);

}  // namespace sumac::wire
