#include "common/kernels/functions.h"
#include "common/kernels/loops.h"

namespace sumac::kernels {

void sgdMomentum(float* w_out, const float* w_in, float* v, const float* g, float scale,
                 float momentum, float rate, std::size_t n) {
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const float velocity = momentum * v[i] + scale * g[i];
    v[i] = velocity;
    w_out[i] = w_in[i] - rate * velocity;
  }
}

}  // namespace sumac::kernels
