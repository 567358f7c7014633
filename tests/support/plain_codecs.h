#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/core/codec.h"

namespace sumac {

/// A value as a codec keeps it, by definition: the nearest multiple of the last place that the
/// codec has at its magnitude, of two as near the even one; at most the largest.
inline float roundedPlainly(Codec codec, float value) {
  if (codec == Codec::kFp32 || std::isinf(value) || value == 0) return value;
  if (std::isnan(value))
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | 0x00400000U);
  const bool is_bf16 = codec == Codec::kBf16;
  const int digits = is_bf16 ? 8 : 11;
  const int least = is_bf16 ? -133 : -24;  // exponent of the smallest value
  const double largest = is_bf16 ? std::ldexp(255.0, 120) : 65504.0;
  int exponent = 0;
  std::frexp(value, &exponent);  // value < 2^exponent
  const int place = std::max(exponent - digits, least);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(double{value}, -place)), place);
  return static_cast<float>(std::clamp(rounded, -largest, largest));
}

inline std::uint16_t plainHalf(Codec codec, float value) {
  const float kept = roundedPlainly(codec, value);
  const auto bits = std::bit_cast<std::uint32_t>(kept);
  if (codec == Codec::kBf16) return static_cast<std::uint16_t>(bits >> 16U);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const float magnitude = std::fabs(kept);
  if (std::isnan(kept))
    return static_cast<std::uint16_t>(sign | 0x7C00U | ((bits >> 13U) & 0x3FFU));
  if (std::isinf(kept)) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < std::ldexp(1.0F, -14))
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::ldexp(magnitude, 24)));
  int exponent = 0;
  const float fraction = std::frexp(magnitude, &exponent);  // of [0.5, 1)
  const auto mantissa = static_cast<std::uint32_t>(std::ldexp(fraction, 11)) - 1024U;
  return static_cast<std::uint16_t>(sign | (static_cast<std::uint32_t>(exponent + 14) << 10U) |
                                    mantissa);
}

inline float plainValue(Codec codec, std::uint16_t half) {
  if (codec == Codec::kBf16) return std::bit_cast<float>(std::uint32_t{half} << 16U);
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t exponent = (half >> 10U) & 0x1FU;
  const std::uint32_t mantissa = half & 0x3FFU;
  if (exponent == 31) {
    const std::uint32_t quiet = mantissa != 0 ? 0x00400000U : 0U;
    return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13U) | quiet);
  }
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                        : std::ldexp(static_cast<float>(1024 + mantissa),
                                                     static_cast<int>(exponent) - 25);
  return sign != 0 ? -magnitude : magnitude;
}

template <Codec kCodec>
void writePlainly(unsigned char* out, const float* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t half = plainHalf(kCodec, x[i]);
    std::memcpy(out + 2 * i, &half, sizeof(half));
  }
}

template <Codec kCodec>
void readPlainly(float* out, const unsigned char* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, x + 2 * i, sizeof(half));
    out[i] = plainValue(kCodec, half);
  }
}

inline std::size_t countHalvesPlainly(const unsigned char* x, std::size_t n,
                                      std::uint16_t magnitude) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, x + 2 * i, sizeof(half));
    count += (half & 0x7FFFU) == magnitude ? 1U : 0U;
  }
  return count;
}

}  // namespace sumac
