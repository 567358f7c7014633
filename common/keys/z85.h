#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"

namespace sumac {

/// The characters that `bytes` bytes become.
constexpr std::size_t z85Length(std::size_t bytes) {
  return bytes / 4 * 5;
}

/// Bytes as text that needs no quotes in files, YAML and environments: four bytes become five
/// printable characters (ZeroMQ RFC 32). Requires a number of bytes that four divides.
std::string encodeZ85(BytesView bytes);

/// Fills `to` with what the text says. Fails with kInvalid, `to` then being of no use, when it is
/// not the text of exactly so many bytes. The message never holds the text: it may be a secret.
Result<void> decodeZ85(std::string_view text, std::span<std::byte> to);

}  // namespace sumac
