#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/simd.h"

// exp, log, tanh and the logistic function of vectors, because libm's results differ between
// machines. They are straight lines of additions, multiplications and selections, so that a file
// that is compiled without -ffp-contract=fast gets the same bits in every variant; each is within
// 2 ulp and keeps NaN. Always inlined: a shared copy would have the bits of whichever file the
// linker took it from.
//
// The polynomials of exp, log and of small arguments of tanh are Cephes' (Moshier).
namespace sumac::kernels {

using IntVec [[gnu::vector_size(kLanes * sizeof(std::int32_t))]] = std::int32_t;

// What overflows: bits of NaN and of numbers that a function is not for.
using BitsVec [[gnu::vector_size(kLanes * sizeof(std::uint32_t))]] = std::uint32_t;

#define SUMAC_VECTOR_FUNCTION [[gnu::always_inline]] inline

SUMAC_VECTOR_FUNCTION Vec splat(float value) {
  return value - Vec{};
}

SUMAC_VECTOR_FUNCTION BitsVec bitsOf(Vec value) {
  return reinterpret_cast<BitsVec>(value);
}

SUMAC_VECTOR_FUNCTION Vec fromBits(BitsVec bits) {
  return reinterpret_cast<Vec>(bits);
}

/// e^x within 2 ulp; 0 below -87.3, where it would be denormal; the value at 88.7 above that.
SUMAC_VECTOR_FUNCTION Vec exponentialOf(Vec x) {
  constexpr float kLowest = -87.3F;
  constexpr float kHighest = 88.7F;
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  const Vec floored = x < kLowest ? splat(kLowest) : x;
  const Vec clamped = floored > kHighest ? splat(kHighest) : floored;
  const Vec shifted = clamped * 1.44269504088896341F + kRounder;
  const Vec whole = shifted - kRounder;
  const Vec r = clamped - whole * kLn2High - whole * kLn2Low;
  Vec p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  // p lies in [0.7, 1.5), and the result is normal: the power of two goes to its exponent. The
  // shift drops all bits of kRounder.
  const Vec scaled = fromBits(bitsOf(p) + (bitsOf(shifted) << 23));
  const Vec result = x < kLowest ? Vec{} : scaled;
  return x == x ? result : x;
}

/// Natural logarithm of normal positive numbers within 2 ulp.
SUMAC_VECTOR_FUNCTION Vec logarithmOf(Vec x) {
  constexpr std::uint32_t kSqrtHalf = 0x3f3504f3;
  const BitsVec bits = bitsOf(x) - kSqrtHalf;
  const Vec exponent = __builtin_convertvector(reinterpret_cast<IntVec>(bits) >> 23, Vec);
  const Vec f = fromBits((bits & 0x7fffff) + kSqrtHalf) - 1.0F;
  const Vec square = f * f;
  Vec p = f * 7.0376836292e-2F - 1.1514610310e-1F;
  p = p * f + 1.1676998740e-1F;
  p = p * f - 1.2420140846e-1F;
  p = p * f + 1.4249322787e-1F;
  p = p * f - 1.6668057665e-1F;
  p = p * f + 2.0000714765e-1F;
  p = p * f - 2.4999993993e-1F;
  p = p * f + 3.3333331174e-1F;
  p = p * f * square;
  p = p + exponent * -2.12194440e-4F;
  p = p - 0.5F * square;
  const Vec result = f + p + exponent * 0.693359375F;
  return x == x ? result : x;
}

/// 1 / (1 + e^-x) within 2 ulp; 0 below -87.3.
SUMAC_VECTOR_FUNCTION Vec sigmoidOf(Vec x) {
  // Of -|x|, so that small results have exp's relative error instead of twice that; e - e e / (1 +
  // e) = e / (1 + e), where the fraction's errors weigh little.
  const Vec e = exponentialOf(x < 0.0F ? x : -x);
  const Vec upper = 1.0F / (1.0F + e);
  return x < 0.0F ? e - e * (e * upper) : upper;
}

/// tanh x within 2 ulp.
SUMAC_VECTOR_FUNCTION Vec tanhOf(Vec x) {
  constexpr float kSmall = 0.625F;
  constexpr float kHighest = 9.5F;  // from 9.02 on the result is 1
  constexpr std::uint32_t kSign = 1U << 31U;
  const BitsVec sign = bitsOf(x) & kSign;
  const Vec size = fromBits(bitsOf(x) & ~kSign);
  const Vec square = x * x;
  Vec p = square * -5.70498872745e-3F + 2.06390887954e-2F;
  p = p * square - 5.37397155531e-2F;
  p = p * square + 1.33314422036e-1F;
  p = p * square - 3.33332819422e-1F;
  const Vec small = x + x * (square * p);
  const Vec clamped = size > kHighest ? splat(kHighest) : size;
  const Vec large = 1.0F - 2.0F / (exponentialOf(clamped + clamped) + 1.0F);
  return fromBits(bitsOf(size < kSmall ? small : large) | sign);
}

/// out[i] = function(x[i]), vector by vector; out may be x.
template <typename Function>
SUMAC_VECTOR_FUNCTION void mapVectors(float* out, const float* x, std::size_t n,
                                      Function function) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    store(out + i, function(load(x + i)));
  if (i == n) return;
  Vec rest{};
  std::memcpy(&rest, x + i, (n - i) * sizeof(float));
  rest = function(rest);
  std::memcpy(out + i, &rest, (n - i) * sizeof(float));
}

}  // namespace sumac::kernels
