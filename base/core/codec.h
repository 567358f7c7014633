#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/core/enum_text.h"

namespace sumac {

/// How the values of a gradient are written in a message (docs/design/exchange.md#codecs). The
/// numbers stand on the wire.
enum class Codec : std::uint8_t { kFp32 = 1, kBf16 = 2, kFp16 = 3 };

/// As in spec.strategy.codec.
std::string_view toString(Codec codec);

inline bool isCodec(std::uint8_t number) {
  return number >= static_cast<std::uint8_t>(Codec::kFp32) &&
         number <= static_cast<std::uint8_t>(Codec::kFp16);
}

/// Bytes of one value.
inline std::size_t sizeOf(Codec codec) {
  return codec == Codec::kFp32 ? sizeof(float) : sizeof(std::uint16_t);
}

}  // namespace sumac
