#pragma once

#include <cstdint>
#include <vector>

#include "base/core/bytes.h"

namespace sumac {

/// One way to compute a CRC-32C, as crc32c() does.
using Crc32cWay = std::uint32_t (*)(BytesView data, std::uint32_t crc);

/// All ways that this processor has, slowest first; crc32c() takes the last. For tests, which could
/// not reach the others.
std::vector<Crc32cWay> crc32cWays();

}  // namespace sumac
