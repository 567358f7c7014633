#include "kernels/vector_math.h"

#include "kernels/functions.h"

namespace sumac::kernels {

void exponential(float* out, const float* x, std::size_t n) {
  mapVectors(out, x, n, [](Vec v) { return exponentialOf(v); });
}

void logarithm(float* out, const float* x, std::size_t n) {
  mapVectors(out, x, n, [](Vec v) { return logarithmOf(v); });
}

}  // namespace sumac::kernels
