#include "common/kernels/functions.h"
#include "common/kernels/loops.h"

namespace sumac::kernels {

void relu(float* y, const float* x, std::size_t n) {
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i)
    y[i] = x[i] < 0.0F ? 0.0F : x[i];
}

void reluBackward(float* dx, const float* dy, const float* y, std::size_t n) {
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const float slope = dy[i];
    dx[i] = y[i] > 0.0F ? slope : 0.0F;
  }
}

}  // namespace sumac::kernels
