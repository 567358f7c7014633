#include <bit>

#include "kernels/functions.h"
#include "kernels/simd.h"

#if defined(__F16C__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

// A value is rounded to the nearest that the codec has, of two as near to the even one. What would
// round to infinity becomes the largest finite value. The processor's conversions of fp16 round
// like the arithmetic here, whatever its flags for denormal numbers say; those of bf16 do not.

namespace sumac::kernels {
namespace {

constexpr std::uint32_t kSign = 0x80000000;
constexpr std::uint32_t kInfinity = 0x7F800000;
constexpr std::uint32_t kQuiet = 0x00400000;  // the bit of a NaN that is no signal

// The least magnitudes that would round to infinity, and what they become.
constexpr std::uint32_t kBeyondBf16 = 0x7F7F8000;
constexpr std::uint32_t kLargestBf16 = 0x7F7F0000;
constexpr std::uint32_t kBeyondFp16 = 0x477FF000;   // 65520
constexpr std::uint32_t kLargestFp16 = 0x477FE000;  // 65504

std::uint32_t bitsOf(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

std::uint32_t loadBits(const float* from) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, from, sizeof(bits));
  return bits;
}

void storeHalf(unsigned char* to, std::uint32_t half) {
  const auto value = static_cast<std::uint16_t>(half);
  std::memcpy(to, &value, sizeof(value));
}

std::uint32_t loadHalf(const unsigned char* from) {
  std::uint16_t value = 0;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

bool isBetween(std::uint32_t magnitude, std::uint32_t least, std::uint32_t end) {
  return (magnitude >= least) & (magnitude < end);
}

std::uint32_t bf16Of(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & ~kSign;
  const std::uint32_t rounded = bits + 0x7FFF + ((bits >> 16U) & 1U);
  const bool is_beyond = isBetween(magnitude, kBeyondBf16, kInfinity);
  const std::uint32_t finite = is_beyond ? (bits & kSign) | kLargestBf16 : rounded;
  return (magnitude > kInfinity ? bits | kQuiet : finite) >> 16U;
}

/// fp16 has 10 bits of fraction where fp32 has 23, and the exponents of 1 are 15 and 127.
constexpr std::uint32_t kShift = 13;
constexpr std::uint32_t kExponents = 127 - 15;

std::uint32_t fp16Of(std::uint32_t bits) {
  constexpr std::uint32_t kLeastNormal = (kExponents + 1) << 23U;
  constexpr float kHalf = 0.5F;  // the last bit of its fraction is the least of fp16
  const std::uint32_t sign = bits & kSign;
  std::uint32_t magnitude = bits ^ sign;
  magnitude = isBetween(magnitude, kBeyondFp16, kInfinity) ? kLargestFp16 : magnitude;
  const std::uint32_t odd = (magnitude >> kShift) & 1U;
  const std::uint32_t normal = (magnitude - (kExponents << 23U) + 0xFFF + odd) >> kShift;
  const std::uint32_t denormal =
      bitsOf(std::bit_cast<float>(magnitude < kLeastNormal ? magnitude : 0U) + kHalf) -
      bitsOf(kHalf);
  const std::uint32_t nan = 0x7E00U | ((magnitude >> kShift) & 0x3FFU);
  const std::uint32_t number = magnitude < kLeastNormal ? denormal : normal;
  const std::uint32_t other = magnitude == kInfinity ? 0x7C00U : nan;
  return (sign >> 16U) | (magnitude < kInfinity ? number : other);
}

std::uint32_t fromFp16Of(std::uint32_t half) {
  constexpr std::uint32_t kExponent = 0x0F800000;
  constexpr std::uint32_t kOne = 1U << 23U;
  constexpr std::uint32_t kLeastNormal = (kExponents + 1) << 23U;
  const std::uint32_t shifted = (half & 0x7FFFU) << kShift;
  const std::uint32_t exponent = shifted & kExponent;
  const std::uint32_t normal = shifted + (kExponents << 23U);
  const std::uint32_t denormal =
      bitsOf(std::bit_cast<float>(shifted + kLeastNormal) - std::bit_cast<float>(kLeastNormal));
  const std::uint32_t quiet = (shifted & (kOne - 1U)) != 0 ? kQuiet : 0U;
  const std::uint32_t other = kInfinity | (shifted & (kOne - 1U)) | quiet;
  const std::uint32_t number = exponent == 0 ? denormal : normal;
  return ((half & 0x8000U) << 16U) | (exponent == kExponent ? other : number);
}

#if defined(__AVX512F__) || defined(__F16C__)

using Bits [[gnu::vector_size(kLanes * sizeof(float))]] = std::uint32_t;

// NOLINTBEGIN(portability-simd-intrinsics): vector types have no conversion to fp16
#if defined(__AVX512F__)
void convert(unsigned char* out, const Vec& x) {
  const __m256i halves = _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  std::memcpy(out, &halves, sizeof(halves));
}
Vec convert(const unsigned char* x) {
  __m256i halves;
  std::memcpy(&halves, x, sizeof(halves));
  return _mm512_cvtph_ps(halves);
}
#else
void convert(unsigned char* out, const Vec& x) {
  const __m128i halves = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  std::memcpy(out, &halves, sizeof(halves));
}
Vec convert(const unsigned char* x) {
  __m128i halves;
  std::memcpy(&halves, x, sizeof(halves));
  return _mm256_cvtph_ps(halves);
}
#endif
// NOLINTEND(portability-simd-intrinsics)

/// As many of the values as are whole vectors; returns how many these are.
std::size_t toFp16Vectors(unsigned char* out, const float* x, std::size_t n) {
  const std::size_t whole = n / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const Bits bits = reinterpret_cast<Bits>(load(x + i));
    const Bits sign = bits & kSign;
    const Bits magnitude = bits ^ sign;
    const auto is_beyond = (magnitude >= kBeyondFp16) & (magnitude < kInfinity);
    const Bits limited = is_beyond ? sign | kLargestFp16 : bits;
    convert(out + 2 * i, reinterpret_cast<Vec>(limited));
  }
  return whole;
}

std::size_t fromFp16Vectors(float* out, const unsigned char* x, std::size_t n) {
  const std::size_t whole = n / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes)
    store(out + i, convert(x + 2 * i));
  return whole;
}

#else

std::size_t toFp16Vectors(unsigned char* /*out*/, const float* /*x*/, std::size_t /*n*/) {
  return 0;
}

std::size_t fromFp16Vectors(float* /*out*/, const unsigned char* /*x*/, std::size_t /*n*/) {
  return 0;
}

#endif

}  // namespace

void toBf16(unsigned char* out, const float* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    storeHalf(out + 2 * i, bf16Of(loadBits(x + i)));
}

void fromBf16(float* out, const unsigned char* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t bits = loadHalf(x + 2 * i) << 16U;
    std::memcpy(out + i, &bits, sizeof(bits));
  }
}

void toFp16(unsigned char* out, const float* x, std::size_t n) {
  for (std::size_t i = toFp16Vectors(out, x, n); i < n; ++i)
    storeHalf(out + 2 * i, fp16Of(loadBits(x + i)));
}

void fromFp16(float* out, const unsigned char* x, std::size_t n) {
  for (std::size_t i = fromFp16Vectors(out, x, n); i < n; ++i) {
    const std::uint32_t bits = fromFp16Of(loadHalf(x + 2 * i));
    std::memcpy(out + i, &bits, sizeof(bits));
  }
}

std::size_t countHalves(const unsigned char* x, std::size_t n, std::uint16_t magnitude) {
  constexpr std::size_t kBlock = 16UL * 1024;  // its count fits 16 bits: narrow lanes
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t size = n - begin < kBlock ? n - begin : kBlock;
    std::uint16_t found = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_it = (loadHalf(x + 2 * (begin + i)) & 0x7FFFU) == magnitude;
      found = static_cast<std::uint16_t>(found + (is_it ? 1 : 0));
    }
    count += found;
  }
  return count;
}

}  // namespace sumac::kernels
