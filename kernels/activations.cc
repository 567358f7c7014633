#include <cstring>

#include "kernels/functions.h"
#include "kernels/loops.h"
#include "kernels/vector_math.h"

namespace sumac::kernels {

void activate(int activation, float* y, const float* x, std::size_t n) {
  switch (activation) {
    case kSumacRelu: mapVectors(y, x, n, [](Vec v) { return v < 0.0F ? Vec{} : v; }); return;
    case kSumacTanh: mapVectors(y, x, n, [](Vec v) { return tanhOf(v); }); return;
    case kSumacSigmoid: mapVectors(y, x, n, [](Vec v) { return sigmoidOf(v); }); return;
    default: mapVectors(y, x, n, [](Vec v) { return v; });
  }
}

void activateBackward(int activation, float* dx, const float* dy, const float* y, std::size_t n) {
  switch (activation) {
    case kSumacRelu:
      SUMAC_INDEPENDENT
      for (std::size_t i = 0; i < n; ++i) {
        const float gradient = dy[i];
        dx[i] = y[i] > 0.0F ? gradient : 0.0F;
      }
      return;
    case kSumacTanh:
      SUMAC_INDEPENDENT
      for (std::size_t i = 0; i < n; ++i)
        dx[i] = dy[i] * (1.0F - y[i] * y[i]);
      return;
    case kSumacSigmoid:
      SUMAC_INDEPENDENT
      for (std::size_t i = 0; i < n; ++i)
        dx[i] = dy[i] * (y[i] * (1.0F - y[i]));
      return;
    default: std::memmove(dx, dy, n * sizeof(float));
  }
}

}  // namespace sumac::kernels
