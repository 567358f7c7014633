#pragma once

#include <array>
#include <cstddef>
#include <variant>

#include "base/core/bytes.h"
#include "exchange/wire/header.h"
#include "exchange/wire/rejection.h"

namespace sumac::wire {

/// 1 MiB: the largest payload of a push or a sum.
inline constexpr std::size_t kMaxDataPayload = 1024UL * 1024;

/// Later minor versions may append fields, which this version skips.
inline constexpr std::size_t kMaxHeaderSize = 256;

using HeaderBytes = std::array<std::byte, kHeaderSize>;

/// The header frame of a message with this payload. Requires a payload within the limit of the
/// type, and for messages with values one that can hold as many as the header says.
HeaderBytes encode(const Header& header, BytesView payload);
/// The same for a payload of `size` bytes whose CRC-32C is known.
HeaderBytes encode(const Header& header, std::size_t size, std::uint32_t checksum);

/// The header of a message from an untrusted peer, or why it is rejected. Every size is checked
/// before use: no input makes this read out of bounds or throw.
std::variant<Header, Rejection> decode(BytesView header, BytesView payload);

}  // namespace sumac::wire
