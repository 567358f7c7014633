#include "common/base/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace sumac {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78U;  // 0x1EDC6F41 with its bits reversed

constexpr std::array<std::uint32_t, 256> makeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kPolynomial : 0U);
    }
    table[byte] = crc;
  }
  return table;
}

constexpr auto kTable = makeTable();

std::uint32_t updatePortable(std::uint32_t crc, BytesView data) {
  for (const std::byte byte : data) {
    crc = (crc >> 8U) ^ kTable[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  }
  return crc;
}

#if defined(__x86_64__)

/// Appends `kZeros` zero bytes to what a CRC is of, one table look-up for each of its bytes.
template <std::size_t kZeros>
struct ZerosAppended {
  std::array<std::array<std::uint32_t, 256>, 4> tables{};

  constexpr ZerosAppended() {
    for (std::size_t place = 0; place < tables.size(); ++place) {
      // Linear: what single bits become gives all others.
      for (std::uint32_t bit = 1; bit < 256; bit *= 2) {
        std::uint32_t crc = bit << (8 * place);
        for (std::size_t i = 0; i < kZeros; ++i)
          crc = (crc >> 8U) ^ kTable[crc & 0xFFU];
        for (std::uint32_t below = 0; below < bit; ++below)
          tables[place][bit + below] = tables[place][below] ^ crc;
      }
    }
  }
  std::uint32_t operator()(std::uint32_t crc) const {
    return tables[0][crc & 0xFFU] ^ tables[1][(crc >> 8U) & 0xFFU] ^
           tables[2][(crc >> 16U) & 0xFFU] ^ tables[3][crc >> 24U];
  }
};

__attribute__((target("sse4.2"))) inline std::uint64_t addWord(std::uint64_t crc,
                                                               const std::byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return _mm_crc32_u64(crc, word);
}

// The instruction takes eight bytes every cycle but gives its result after three: three pieces side
// by side, each of kPiece bytes, are three times as fast as one (Gopal et al., "Fast CRC
// Computation for iSCSI Polynomial Using CRC32 Instruction", Intel, 2011).
template <std::size_t kPiece>
__attribute__((target("sse4.2"))) std::uint32_t updateSideBySide(std::uint32_t crc,
                                                                 BytesView& data) {
  static constexpr ZerosAppended<kPiece> kAppend;
  while (data.size() >= 3 * kPiece) {
    const std::byte* const at = data.data();
    std::uint64_t first = crc;
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < kPiece; i += sizeof(std::uint64_t)) {
      first = addWord(first, at + i);
      second = addWord(second, at + kPiece + i);
      third = addWord(third, at + 2 * kPiece + i);
    }
    crc = kAppend(static_cast<std::uint32_t>(first)) ^ static_cast<std::uint32_t>(second);
    crc = kAppend(crc) ^ static_cast<std::uint32_t>(third);
    data = data.subspan(3 * kPiece);
  }
  return crc;
}

__attribute__((target("sse4.2"))) std::uint32_t updateSse42(std::uint32_t crc, BytesView data) {
  crc = updateSideBySide<2048>(crc, data);
  crc = updateSideBySide<256>(crc, data);
  std::uint64_t wide = crc;
  for (; data.size() >= sizeof(std::uint64_t); data = data.subspan(sizeof(std::uint64_t)))
    wide = addWord(wide, data.data());
  crc = static_cast<std::uint32_t>(wide);
  for (const std::byte byte : data)
    crc = _mm_crc32_u8(crc, std::to_integer<std::uint8_t>(byte));
  return crc;
}

#endif

}  // namespace

std::uint32_t crc32c(BytesView data, std::uint32_t crc) {
  crc = ~crc;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2") != 0) return ~updateSse42(crc, data);
#endif
  return ~updatePortable(crc, data);
}

std::uint32_t crc32cPortable(BytesView data, std::uint32_t crc) {
  return ~updatePortable(~crc, data);
}

}  // namespace sumac
