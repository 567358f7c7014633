#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/core/bytes.h"
#include "base/core/result.h"

namespace sumac {

/// The length of the text of `bytes` bytes.
constexpr std::size_t z85Length(std::size_t bytes) {
  return bytes / 4 * 5;
}

/// Bytes as printable text, five characters for four bytes (ZeroMQ RFC 32). Requires a multiple of
/// four bytes.
std::string encodeZ85(BytesView bytes);

/// Decodes the text into `to`. Fails with kInvalid, leaving `to` unspecified, when it is not the
/// text of exactly so many bytes. The message never contains the text, which may be a secret.
Result<void> decodeZ85(std::string_view text, std::span<std::byte> to);

}  // namespace sumac
