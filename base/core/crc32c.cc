#include "base/core/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/core/crc32c_ways.h"

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

/// x^power modulo the polynomial, as the multiplication without carries wants it: with its bits
/// reversed, and shifted by one since a product of two reversed values comes out one bit too low.
constexpr std::uint64_t powerOfX(std::size_t power) {
  std::uint32_t reversed = 0x80000000U;  // 1
  for (std::size_t i = 0; i < power; ++i)
    reversed = (reversed >> 1U) ^ ((reversed & 1U) != 0 ? kPolynomial : 0U);
  return std::uint64_t{reversed} << 1U;
}

__attribute__((target("avx512f"))) inline __m512i vectorAt(const std::byte* from) {
  return _mm512_loadu_si512(from);
}

/// Multiplies each 128 bits by x^kBits modulo the polynomial: what stands so far behind `data` is
/// added to it.
template <std::size_t kBits>
__attribute__((target("avx512f,vpclmulqdq"))) inline __m512i fold(__m512i sum, __m512i data) {
  static constexpr std::uint64_t kLow = powerOfX(kBits + 32);
  static constexpr std::uint64_t kHigh = powerOfX(kBits - 32);
  const __m512i powers = _mm512_set4_epi64(kHigh, kLow, kHigh, kLow);
  constexpr int kXorOfThree = 0x96;
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(sum, powers, 0x00),
                                   _mm512_clmulepi64_epi128(sum, powers, 0x11), data, kXorOfThree);
}

/// The same of 128 bits, for a distance of as many.
__attribute__((target("sse4.2,pclmul"))) inline __m128i foldLane(__m128i sum, __m128i data) {
  static constexpr std::uint64_t kLow = powerOfX(128 + 32);
  static constexpr std::uint64_t kHigh = powerOfX(128 - 32);
  const __m128i powers = _mm_set_epi64x(kHigh, kLow);
  const __m128i product = _mm_xor_si128(_mm_clmulepi64_si128(sum, powers, 0x00),
                                        _mm_clmulepi64_si128(sum, powers, 0x11));
  return _mm_xor_si128(product, data);
}

// 256 bytes at a time, in the order of memory: the processor fetches ahead what is read in one
// stream, but not three (Gopal et al., "Fast CRC Computation for Generic Polynomials Using
// PCLMULQDQ Instruction", Intel, 2009). A vector from memory goes four times as fast, one in the
// cache twice.
__attribute__((target("avx512f,vpclmulqdq,sse4.2,pclmul"))) std::uint32_t updateWide(
    std::uint32_t crc, BytesView& data) {
  constexpr std::size_t kVector = sizeof(__m512i);
  constexpr std::size_t kBitsOfVector = 8 * kVector;
  constexpr std::size_t kBlock = 4 * kVector;
  if (data.size() < kBlock) return crc;
  const std::byte* at = data.data();
  const __m512i before = _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(crc)));
  __m512i first = _mm512_xor_si512(vectorAt(at), before);
  __m512i second = vectorAt(at + kVector);
  __m512i third = vectorAt(at + 2 * kVector);
  __m512i fourth = vectorAt(at + 3 * kVector);
  for (data = data.subspan(kBlock); data.size() >= kBlock; data = data.subspan(kBlock)) {
    at = data.data();
    first = fold<4 * kBitsOfVector>(first, vectorAt(at));
    second = fold<4 * kBitsOfVector>(second, vectorAt(at + kVector));
    third = fold<4 * kBitsOfVector>(third, vectorAt(at + 2 * kVector));
    fourth = fold<4 * kBitsOfVector>(fourth, vectorAt(at + 3 * kVector));
  }
  first =
      fold<kBitsOfVector>(fold<kBitsOfVector>(fold<kBitsOfVector>(first, second), third), fourth);
  alignas(kVector) std::array<long long, 8> words{};
  _mm512_store_si512(words.data(), first);
  __m128i lane = _mm_set_epi64x(words[1], words[0]);
  for (std::size_t i = 2; i < words.size(); i += 2)
    lane = foldLane(lane, _mm_set_epi64x(words[i + 1], words[i]));
  // These 16 bytes have the CRC of all that was folded into them.
  const std::uint64_t low =
      _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_extract_epi64(lane, 0)));
  return static_cast<std::uint32_t>(
      _mm_crc32_u64(low, static_cast<std::uint64_t>(_mm_extract_epi64(lane, 1))));
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

std::uint32_t crc32cPortable(BytesView data, std::uint32_t crc) {
  return ~updatePortable(~crc, data);
}

#if defined(__x86_64__)

namespace {

std::uint32_t crc32cSse42(BytesView data, std::uint32_t crc) {
  return ~updateSse42(~crc, data);
}

std::uint32_t crc32cWide(BytesView data, std::uint32_t crc) {
  crc = updateWide(~crc, data);
  return ~updateSse42(crc, data);
}

bool hasSse42() {
  return __builtin_cpu_supports("sse4.2") != 0;
}

bool hasWide() {
  return hasSse42() && __builtin_cpu_supports("pclmul") != 0 &&
         __builtin_cpu_supports("vpclmulqdq") != 0 && __builtin_cpu_supports("avx512f") != 0;
}

}  // namespace

std::uint32_t crc32c(BytesView data, std::uint32_t crc) {
  if (hasWide()) return crc32cWide(data, crc);
  return hasSse42() ? crc32cSse42(data, crc) : crc32cPortable(data, crc);
}

std::vector<Crc32cWay> crc32cWays() {
  std::vector<Crc32cWay> ways{crc32cPortable};
  if (hasSse42()) ways.push_back(crc32cSse42);
  if (hasWide()) ways.push_back(crc32cWide);
  return ways;
}

#else

std::uint32_t crc32c(BytesView data, std::uint32_t crc) {
  return crc32cPortable(data, crc);
}

std::vector<Crc32cWay> crc32cWays() {
  return {crc32cPortable};
}

#endif

}  // namespace sumac
