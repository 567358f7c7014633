#include <algorithm>
#include <bit>

#include "common/kernels/functions.h"
#include "common/kernels/loops.h"

namespace sumac::kernels {
namespace {

// Both are Cephes' polynomials (Moshier), written without branches so that loops over them become
// vector code. libm would do, if its results were the same on every machine.

inline float expOf(float x) {
  constexpr float kLowest = -87.3F;  // below it the result would be denormal
  constexpr float kHighest = 88.7F;
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  const float clamped = x < kLowest ? kLowest : (x > kHighest ? kHighest : x);
  const float shifted = clamped * 1.44269504088896341F + kRounder;
  const float whole = shifted - kRounder;
  const float r = clamped - whole * kLn2High - whole * kLn2Low;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  // 2^127 and 2^128 do not both fit a float's exponent field: the power is applied in two halves.
  const auto exponent =
      std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRounder);
  const std::int32_t half = exponent >> 1;
  const auto low = std::bit_cast<float>((half + 127) << 23);
  const auto high = std::bit_cast<float>((exponent - half + 127) << 23);
  const float result = p * low * high;
  return x < kLowest ? 0.0F : result;
}

inline float logOf(float x) {
  constexpr std::int32_t kSqrtHalf = 0x3f3504f3;
  const auto bits = std::bit_cast<std::int32_t>(x) - kSqrtHalf;
  const auto exponent = static_cast<float>(bits >> 23);
  const float f = std::bit_cast<float>((bits & 0x7fffff) + kSqrtHalf) - 1.0F;
  const float square = f * f;
  float p = 7.0376836292e-2F;
  p = p * f - 1.1514610310e-1F;
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
  return f + p + exponent * 0.693359375F;
}

float greatest(const float* x, std::size_t n) {
  float best = x[0];
  for (std::size_t i = 1; i < n; ++i)
    best = x[i] > best ? x[i] : best;
  return best;
}

float sampleLoss(float* dlogits, const float* logits, std::size_t label, std::size_t classes,
                 float scale) {
  const float top = greatest(logits, classes);
  const float own = logits[label] - top;
  float sum = 0.0F;
  if (dlogits == nullptr) {
    for (std::size_t i = 0; i < classes; ++i)
      sum += expOf(logits[i] - top);
    return logOf(sum) - own;
  }
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < classes; ++i)
    dlogits[i] = expOf(logits[i] - top);
  for (std::size_t i = 0; i < classes; ++i)
    sum += dlogits[i];
  const float factor = scale / sum;
  for (std::size_t i = 0; i < classes; ++i)
    dlogits[i] *= factor;
  dlogits[label] -= scale;
  return logOf(sum) - own;
}

}  // namespace

void softmaxCrossEntropy(float* losses, float* dlogits, const float* logits,
                         const std::int32_t* labels, std::size_t classes, std::size_t samples,
                         float scale) {
  for (std::size_t i = 0; i < samples; ++i) {
    float* const slopes = dlogits == nullptr ? nullptr : dlogits + i * classes;
    losses[i] = sampleLoss(slopes, logits + i * classes, static_cast<std::size_t>(labels[i]),
                           classes, scale);
  }
}

void exponential(float* out, const float* x, std::size_t n) {
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i)
    out[i] = expOf(x[i]);
}

void logarithm(float* out, const float* x, std::size_t n) {
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i)
    out[i] = logOf(x[i]);
}

}  // namespace sumac::kernels
