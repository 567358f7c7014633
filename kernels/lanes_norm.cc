#include <algorithm>

#include "kernels/functions.h"
#include "kernels/lanes.h"
#include "kernels/vector_math.h"

// Sums are formed row by row, so that the error does not grow with the number of pixels.
namespace sumac::kernels {
namespace {

using lanes::originOf;
using lanes::planeOf;
using lanes::rowOf;

// -1 in the lanes of a block that hold a sample, 0 in the others.
IntVec usedLanes(const SumacLanesNorm& n, std::size_t block) {
  IntVec used{};
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    used[lane] = block * kLanes + lane < n.images ? -1 : 0;
  return used;
}

// Sum of value(block, row, offset in the row) over all samples' pixels of a channel; what lies in
// lanes without a sample does not count.
template <typename Value>
float sumOver(const SumacLanesNorm& n, const Value& value) {
  Vec total{};
  for (std::size_t block = 0; block * kLanes < n.images; ++block) {
    const IntVec used = usedLanes(n, block);
    for (std::size_t row = 0; row < n.x.rows; ++row) {
      Vec sum{};
      for (std::size_t i = 0; i < n.x.columns * kLanes; i += kLanes)
        sum += value(block, row, i);
      total += used ? sum : Vec{};
    }
  }
  return lanes::sumOfLanes(total);
}

// Where a row begins: of a bordered image, or of a gradient, which has none.
std::size_t rowAt(const SumacImage& image, std::size_t channel, std::size_t block,
                  std::size_t row) {
  return (block * image.channels + channel) * planeOf(image) + originOf(image) + row * rowOf(image);
}
std::size_t gradientAt(const SumacImage& image, std::size_t channel, std::size_t block,
                       std::size_t row) {
  return ((block * image.channels + channel) * image.rows + row) * image.columns * kLanes;
}

float valuesOf(const SumacLanesNorm& n) {
  return static_cast<float>(n.images * n.x.rows * n.x.columns);
}

}  // namespace

void lanesNormStatistics(const SumacLanesNorm* norm, const float* x, size_t channel, float* mean,
                         float* variance) {
  const SumacLanesNorm& n = *norm;
  const float sum = sumOver(n, [&](std::size_t block, std::size_t row, std::size_t i) {
    return load(x + rowAt(n.x, channel, block, row) + i);
  });
  const float middle = sum / valuesOf(n);
  const float squares = sumOver(n, [&](std::size_t block, std::size_t row, std::size_t i) {
    const Vec distance = load(x + rowAt(n.x, channel, block, row) + i) - middle;
    return distance * distance;
  });
  *mean = middle;
  *variance = squares / valuesOf(n);
}

float lanesNormInverse(float variance, float epsilon) {
  return 1.0F / __builtin_sqrtf(variance + epsilon);
}

void lanesNormForward(const SumacLanesNorm* norm, const SumacLanesNormChannel* c, float* y,
                      const float* x) {
  const SumacLanesNorm& n = *norm;
  const float factor = c->inverse * c->weight;
  for (std::size_t block = 0; block * kLanes < n.images; ++block) {
    const IntVec used = usedLanes(n, block);
    for (std::size_t row = 0; row < n.x.rows; ++row) {
      const float* const from = x + rowAt(n.x, c->channel, block, row);
      float* const to = y + rowAt(n.y, c->channel, block, row);
      // Unused lanes become zero: else each layer would scale them by up to 1 / sqrt(epsilon), and
      // once infinite they would turn weight gradients into NaN (0 times infinity).
      for (std::size_t i = 0; i < n.x.columns * kLanes; i += kLanes) {
        const Vec normal = (load(from + i) - c->mean) * factor + c->bias;
        store(to + i, used ? normal : Vec{});
      }
    }
  }
}

// With xhat = (x - mean) inverse and means over all values of the channel: dx = weight inverse (dy
// - mean(dy) - xhat mean(dy xhat)).
void lanesNormBackward(const SumacLanesNorm* norm, const SumacLanesNormChannel* c,
                       const SumacLanesNormBackward* b) {
  const SumacLanesNorm& n = *norm;
  const auto gradient = [&](std::size_t block, std::size_t row, std::size_t i) {
    return load(b->dy + gradientAt(n.y, c->channel, block, row) + i);
  };
  const auto normal = [&](std::size_t block, std::size_t row, std::size_t i) {
    return (load(b->x + rowAt(n.x, c->channel, block, row) + i) - c->mean) * c->inverse;
  };
  const float dbias = sumOver(n, gradient);
  const float dweight = sumOver(n, [&](std::size_t block, std::size_t row, std::size_t i) {
    return gradient(block, row, i) * normal(block, row, i);
  });
  *b->dbias = b->accumulate != 0 ? *b->dbias + dbias : dbias;
  *b->dweight = b->accumulate != 0 ? *b->dweight + dweight : dweight;
  if (b->dx == nullptr) return;
  const float factor = c->weight * c->inverse;
  const float mean_gradient = dbias / valuesOf(n);
  const float mean_product = dweight / valuesOf(n);
  for (std::size_t block = 0; block * kLanes < n.images; ++block) {
    const IntVec used = usedLanes(n, block);
    for (std::size_t row = 0; row < n.x.rows; ++row) {
      float* const to = b->dx + gradientAt(n.x, c->channel, block, row);
      for (std::size_t i = 0; i < n.x.columns * kLanes; i += kLanes) {
        const Vec all = factor * (gradient(block, row, i) - mean_gradient -
                                  normal(block, row, i) * mean_product);
        store(to + i, used ? all : Vec{});
      }
    }
  }
}

}  // namespace sumac::kernels
