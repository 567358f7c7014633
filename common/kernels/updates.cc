#include <algorithm>

#include <Eigen/Core>

#include "common/kernels/functions.h"

// Every value is computed alone by additions, multiplications, divisions and square roots that are
// rounded once each, so that all variants have the same bits; hence EIGEN_FAST_MATH=0, as Eigen
// would else estimate square roots.
namespace sumac::kernels {
namespace {

// Vectors that an update reads twice come in pieces that stay in the first-level cache.
constexpr Eigen::Index kPiece = 1024;

using Values = Eigen::Map<Eigen::ArrayXf>;
using ConstValues = Eigen::Map<const Eigen::ArrayXf>;

// Eigen's own max() and min() may lose NaN; 3.4 has no other name for those that keep it.
using Max = Eigen::internal::scalar_max_op<float, float, Eigen::PropagateNaN>;
using Min = Eigen::internal::scalar_min_op<float, float, Eigen::PropagateNaN>;

/// The gradient scaled and clipped, plus weight decay. NaN stays NaN.
auto stepGradient(const ConstValues& gradient, const ConstValues& weight, const SumacUpdate& u) {
  const auto constant = [&](float value) {
    return Eigen::ArrayXf::Constant(gradient.size(), value);
  };
  return (u.scale * gradient)
             .binaryExpr(constant(-u.limit), Max())
             .binaryExpr(constant(u.limit), Min()) +
         u.decay * weight;
}

/// Calls work(first, count) for pieces of [0, n).
template <typename Work>
void forEachPiece(std::size_t n, const Work& work) {
  const auto size = static_cast<Eigen::Index>(n);
  for (Eigen::Index first = 0; first < size; first += kPiece)
    work(first, std::min(kPiece, size - first));
}

}  // namespace

void sgd(const SumacUpdate* update, float* w_out, const float* w_in, const float* g,
         std::size_t n) {
  const auto size = static_cast<Eigen::Index>(n);
  const ConstValues w(w_in, size);
  Values(w_out, size) = w - update->rate * stepGradient(ConstValues(g, size), w, *update);
}

void sgdMomentum(const SumacUpdate* update, float* w_out, const float* w_in, float* v,
                 const float* g, std::size_t n) {
  const SumacUpdate& u = *update;
  forEachPiece(n, [&](Eigen::Index at, Eigen::Index count) {
    const ConstValues w(w_in + at, count);
    Values velocity(v + at, count);
    velocity = u.momentum * velocity + stepGradient({g + at, count}, w, u);
    Values(w_out + at, count) = w - u.rate * velocity;
  });
}

void sgdNesterov(const SumacUpdate* update, float* w_out, const float* w_in, float* v,
                 const float* g, std::size_t n) {
  const SumacUpdate& u = *update;
  forEachPiece(n, [&](Eigen::Index at, Eigen::Index count) {
    const ConstValues w(w_in + at, count);
    const auto step = stepGradient({g + at, count}, w, u);
    Values velocity(v + at, count);
    velocity = u.momentum * velocity + step;
    Values(w_out + at, count) = w - u.rate * (step + u.momentum * velocity);
  });
}

void adam(const SumacUpdate* update, const SumacAdam* adam, float* w_out, const float* w_in,
          float* mean, float* square, const float* g, std::size_t n) {
  const SumacUpdate& u = *update;
  const SumacAdam& a = *adam;
  forEachPiece(n, [&](Eigen::Index at, Eigen::Index count) {
    const ConstValues w(w_in + at, count);
    const auto step = stepGradient({g + at, count}, w, u);
    Values first(mean + at, count);
    Values second(square + at, count);
    first = a.beta1 * first + a.fresh1 * step;
    second = a.beta2 * second + a.fresh2 * step.square();
    Values(w_out + at, count) = w - u.rate * (first / (second.sqrt() / a.root + a.epsilon));
  });
}

}  // namespace sumac::kernels
