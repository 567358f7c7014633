#include "exchange/wire/zero_blocks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace sumac::wire {
namespace {

constexpr std::size_t kBits = 8;  // of a byte

std::size_t blocksOf(std::size_t size) {
  return (size + kZeroBlock - 1) / kZeroBlock;
}

std::size_t maskSize(std::size_t size) {
  return (blocksOf(size) + kBits - 1) / kBits;
}

/// The bytes of one block: the last may be shorter.
std::size_t sizeOfBlock(std::size_t block, std::size_t size) {
  return std::min(kZeroBlock, size - block * kZeroBlock);
}

bool isZero(const std::byte* block, std::size_t size) {
  if (size == kZeroBlock) {
    std::uint64_t words[kZeroBlock / sizeof(std::uint64_t)];
    std::memcpy(words, block, kZeroBlock);
    return (words[0] | words[1] | words[2] | words[3]) == 0;
  }
  return std::all_of(block, block + size, [](std::byte byte) { return byte == std::byte{0}; });
}

bool isThere(BytesView mask, std::size_t block) {
  return (mask[block / kBits] & std::byte(1U << (block % kBits))) != std::byte{0};
}

}  // namespace

// Looks first: where little is zero, nothing is copied.
std::optional<Bytes> withoutZeroBlocks(BytesView bytes) {
  const std::size_t most = bytes.size() - bytes.size() / 4;
  const std::size_t blocks = blocksOf(bytes.size());
  Bytes sparse(maskSize(bytes.size()));
  std::size_t left = sparse.size();
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t size = sizeOfBlock(block, bytes.size());
    if (isZero(bytes.data() + block * kZeroBlock, size)) continue;
    left += size;
    if (left > most) return std::nullopt;
    sparse[block / kBits] |= std::byte(1U << (block % kBits));
  }
  if (left > most) return std::nullopt;
  std::size_t at = sparse.size();
  sparse.resize(left);
  for (std::size_t block = 0; block < blocks; ++block) {
    if (!isThere(sparse, block)) continue;
    const std::size_t size = sizeOfBlock(block, bytes.size());
    std::memcpy(&sparse[at], bytes.data() + block * kZeroBlock, size);
    at += size;
  }
  return sparse;
}

bool restoreZeroBlocks(BytesView sparse, std::span<std::byte> out) {
  const std::size_t mask_size = maskSize(out.size());
  if (sparse.size() < mask_size) return false;
  const BytesView mask = sparse.first(mask_size);
  BytesView rest = sparse.subspan(mask_size);
  const std::size_t blocks = blocksOf(out.size());
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::span<std::byte> to = out.subspan(block * kZeroBlock, sizeOfBlock(block, out.size()));
    if (!isThere(mask, block)) {
      std::ranges::fill(to, std::byte{0});
      continue;
    }
    if (rest.size() < to.size()) return false;
    std::memcpy(to.data(), rest.data(), to.size());
    rest = rest.subspan(to.size());
  }
  for (std::size_t bit = blocks; bit < mask_size * kBits; ++bit) {
    if (isThere(mask, bit)) return false;
  }
  return rest.empty();
}

}  // namespace sumac::wire
