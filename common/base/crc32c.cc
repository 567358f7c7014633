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
// One instruction takes eight bytes in three cycles of latency: 8 GB/s, several times the network's
// rate.
__attribute__((target("sse4.2"))) std::uint32_t updateSse42(std::uint32_t crc, BytesView data) {
  std::uint64_t wide = crc;
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= data.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, data.data() + i, sizeof(word));
    wide = _mm_crc32_u64(wide, word);
  }
  crc = static_cast<std::uint32_t>(wide);
  for (; i < data.size(); ++i) {
    crc = _mm_crc32_u8(crc, std::to_integer<std::uint8_t>(data[i]));
  }
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

}  // namespace sumac
