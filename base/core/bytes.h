#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sumac {

using Bytes = std::vector<std::byte>;
using BytesView = std::span<const std::byte>;

inline BytesView asBytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

inline std::string_view asText(BytesView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Little-endian loads and stores at any alignment. Requires the bytes to be there.
template <typename T>
T loadLittleEndian(const std::byte* from) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<std::uint64_t>(std::to_integer<std::uint8_t>(from[i])) << (8 * i);
  }
  return static_cast<T>(value);
}

template <typename T>
void storeLittleEndian(std::byte* to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    to[i] = static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xFFU);
  }
}

}  // namespace sumac
