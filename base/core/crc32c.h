#pragma once

#include <cstdint>

#include "base/core/bytes.h"

namespace sumac {

/// CRC-32C (Castagnoli, as in iSCSI, RFC 3720 B.4) of `data`, continued from `crc`, the value of
/// what came before. The processor's instruction where it has one; the same value everywhere.
std::uint32_t crc32c(BytesView data, std::uint32_t crc = 0);

/// The same, computed without the processor's instruction: for tests.
std::uint32_t crc32cPortable(BytesView data, std::uint32_t crc = 0);

}  // namespace sumac
