#pragma once

#include <cstdint>

namespace sumac::worker {

/// How often operator new has been called in this program, by any thread.
std::int64_t allocations();

}  // namespace sumac::worker
