#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/core/bytes.h"

namespace sumac::wire {

/// A block of zeros that a sparse payload leaves out: 8 values of fp32.
inline constexpr std::size_t kZeroBlock = 32;

/// `bytes` without the blocks in which every bit is zero: one bit for each block, the lowest of the
/// first byte first, that says whether it is there; then those blocks. Nothing where that saves
/// less than a quarter: then a copy costs more than the bytes.
///
/// Bytes, so that it keeps every value: +0 alone has no bit, -0 has one.
std::optional<Bytes> withoutZeroBlocks(BytesView bytes);

/// The reverse, from an untrusted peer: writes all of `out`. False, with `out` unspecified, unless
/// `sparse` is what is left of that many bytes.
bool restoreZeroBlocks(BytesView sparse, std::span<std::byte> out);

}  // namespace sumac::wire
