#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "base/core/bytes.h"

namespace sumac {

using Sha256Digest = std::array<std::byte, 32>;

/// SHA-256 of `data` (FIPS 180-4).
Sha256Digest sha256(BytesView data);

/// The same, as 64 lower-case hexadecimal digits.
std::string sha256Hex(BytesView data);
/// That of pieces, one after the other.
std::string sha256HexOf(std::span<const BytesView> pieces);

}  // namespace sumac
