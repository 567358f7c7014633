#include <cmath>

#include "common/kernels/functions.h"
#include "common/kernels/loops.h"

namespace sumac::kernels {
namespace {

/// What the update follows: the gradient scaled and cut, the weight's pull added. NaN stays NaN.
inline float stepGradient(float gradient, float weight, const SumacUpdate& update) {
  const float scaled = update.scale * gradient;
  const float above = scaled < -update.limit ? -update.limit : scaled;
  const float cut = above > update.limit ? update.limit : above;
  return cut + update.decay * weight;
}

}  // namespace

// Copies of *update: as far as the compiler knows, a write to w_out could change the original.

void sgd(const SumacUpdate* update, float* w_out, const float* w_in, const float* g,
         std::size_t n) {
  const SumacUpdate u = *update;
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i)
    w_out[i] = w_in[i] - u.rate * stepGradient(g[i], w_in[i], u);
}

void sgdMomentum(const SumacUpdate* update, float* w_out, const float* w_in, float* v,
                 const float* g, std::size_t n) {
  const SumacUpdate u = *update;
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const float velocity = u.momentum * v[i] + stepGradient(g[i], w_in[i], u);
    v[i] = velocity;
    w_out[i] = w_in[i] - u.rate * velocity;
  }
}

void sgdNesterov(const SumacUpdate* update, float* w_out, const float* w_in, float* v,
                 const float* g, std::size_t n) {
  const SumacUpdate u = *update;
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const float gradient = stepGradient(g[i], w_in[i], u);
    const float velocity = u.momentum * v[i] + gradient;
    v[i] = velocity;
    w_out[i] = w_in[i] - u.rate * (gradient + u.momentum * velocity);
  }
}

void adam(const SumacUpdate* update, const SumacAdam* adam, float* w_out, const float* w_in,
          float* mean, float* square, const float* g, std::size_t n) {
  const SumacUpdate u = *update;
  const SumacAdam a = *adam;
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const float gradient = stepGradient(g[i], w_in[i], u);
    const float first = a.beta1 * mean[i] + a.fresh1 * gradient;
    const float second = a.beta2 * square[i] + a.fresh2 * (gradient * gradient);
    mean[i] = first;
    square[i] = second;
    w_out[i] = w_in[i] - u.rate * (first / (std::sqrt(second) / a.root + a.epsilon));
  }
}

}  // namespace sumac::kernels
