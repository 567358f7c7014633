#include <algorithm>
#include <array>
#include <limits>

#include "kernels/functions.h"
#include "kernels/vector_math.h"

// Values are taken in groups of the widest variant's vector, so that every variant adds in the same
// order.
namespace sumac::kernels {
namespace {

constexpr std::size_t kGroup = 16;
constexpr std::size_t kVectors = kGroup / kLanes;
using Group = std::array<Vec, kVectors>;

SUMAC_VECTOR_FUNCTION Group loadGroup(const float* from) {
  Group group;
  for (std::size_t v = 0; v < kVectors; ++v)
    group[v] = load(from + v * kLanes);
  return group;
}

/// Of the last group: `fill` where there are no values.
SUMAC_VECTOR_FUNCTION Group loadRest(const float* from, std::size_t n, float fill) {
  std::array<float, kGroup> values;
  values.fill(fill);
  std::copy_n(from, n, values.begin());
  return loadGroup(values.data());
}

SUMAC_VECTOR_FUNCTION void storeGroup(float* to, const Group& group, std::size_t n) {
  if (n == kGroup) {
    for (std::size_t v = 0; v < kVectors; ++v)
      store(to + v * kLanes, group[v]);
    return;
  }
  std::array<float, kGroup> values;
  for (std::size_t v = 0; v < kVectors; ++v)
    store(values.data() + v * kLanes, group[v]);
  std::copy_n(values.begin(), n, to);
}

float sumOfLanes(const Group& group) {
  std::array<float, kGroup> lanes;
  storeGroup(lanes.data(), group, kGroup);
  for (std::size_t width = kGroup / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane)
      lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

float maximumOf(const float* x, std::size_t n) {
  Group best;
  best.fill(splat(x[0]));
  const auto take = [&best](const Group& group) {
    for (std::size_t v = 0; v < kVectors; ++v)
      best[v] = group[v] > best[v] ? group[v] : best[v];
  };
  const std::size_t whole = n / kGroup * kGroup;
  for (std::size_t i = 0; i < whole; i += kGroup)
    take(loadGroup(x + i));
  if (whole < n) take(loadRest(x + whole, n - whole, x[0]));
  std::array<float, kGroup> lanes;
  storeGroup(lanes.data(), best, kGroup);
  return *std::max_element(lanes.begin(), lanes.end());
}

/// Sum of e^(x - top); stored, too, unless `out` is null, which may be x.
float exponentials(float* out, const float* x, float top, std::size_t n) {
  Group sums{};
  const auto take = [&](Group group, std::size_t i, std::size_t size) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      group[v] = exponentialOf(group[v] - top);
      sums[v] += group[v];
    }
    if (out != nullptr) storeGroup(out + i, group, size);
  };
  const std::size_t whole = n / kGroup * kGroup;
  for (std::size_t i = 0; i < whole; i += kGroup)
    take(loadGroup(x + i), i, kGroup);
  constexpr float kAddsZero = -std::numeric_limits<float>::infinity();
  if (whole < n) take(loadRest(x + whole, n - whole, kAddsZero), whole, n - whole);
  return sumOfLanes(sums);
}

float logarithmOfOne(float x) {
  return logarithmOf(splat(x))[0];
}

// Two passes over the logits, which are in the cache by the second: the maximum, then the
// exponentials; and one over the gradients.
float sampleLoss(float* dlogits, const float* logits, std::size_t label, std::size_t classes,
                 float scale) {
  const float top = maximumOf(logits, classes);
  const float own = logits[label] - top;
  const float sum = exponentials(dlogits, logits, top, classes);
  if (dlogits != nullptr) {
    const float factor = scale / sum;
    for (std::size_t i = 0; i < classes; ++i)
      dlogits[i] *= factor;
    dlogits[label] -= scale;
  }
  return logarithmOfOne(sum) - own;
}

}  // namespace

void softmaxCrossEntropy(float* losses, float* dlogits, const float* logits,
                         const std::int32_t* labels, std::size_t classes, std::size_t samples,
                         float scale) {
  for (std::size_t i = 0; i < samples; ++i) {
    float* const gradients = dlogits == nullptr ? nullptr : dlogits + i * classes;
    losses[i] = sampleLoss(gradients, logits + i * classes, static_cast<std::size_t>(labels[i]),
                           classes, scale);
  }
}

void areArgmax(std::int32_t* out, const float* logits, const std::int32_t* labels,
               std::size_t classes, std::size_t samples) {
  for (std::size_t i = 0; i < samples; ++i, logits += classes) {
    const auto label = static_cast<std::size_t>(labels[i]);
    const float own = logits[label];
    const bool is_maximum = own == maximumOf(logits, classes);
    out[i] = is_maximum && std::find(logits, logits + label, own) == logits + label ? 1 : 0;
  }
}

}  // namespace sumac::kernels
