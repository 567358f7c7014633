#include <cmath>

#include <Eigen/Core>

#include "kernels/functions.h"
#include "kernels/simd.h"

// Every value is computed alone by additions, multiplications, divisions and square roots that are
// rounded once each, so that all variants have the same bits. EIGEN_FAST_MATH=0 keeps Eigen from
// estimating any of them.
namespace sumac::kernels {
namespace {

// Eigen evaluates one expression at a time; pieces this small stay in registers from one to the
// next. Of whole vectors an expression used twice would be computed twice.
constexpr int kPiece = 2 * kLanes;

/// The values from `at` on as an array of type Piece.
template <typename Piece>
Eigen::Map<const Piece> in(const float* values, std::size_t at) {
  return Eigen::Map<const Piece>(values + at);
}
template <typename Piece>
Eigen::Map<Piece> out(float* values, std::size_t at) {
  return Eigen::Map<Piece>(values + at);
}

/// The gradient scaled and clipped, plus weight decay. NaN stays NaN: Eigen's max() and min()
/// return their left operand if either is NaN; updates_test.cc checks it.
template <typename Piece>
[[gnu::always_inline]] inline Piece stepGradient(const float* gradient, const Piece& weight,
                                                 std::size_t at, const SumacUpdate& u) {
  return (u.scale * in<Piece>(gradient, at)).max(-u.limit).min(u.limit) + u.decay * weight;
}

/// Not Eigen's sqrt(): unless it may estimate, Eigen 3.4 computes the roots of an AVX-512 vector
/// one by one.
template <typename Piece>
[[gnu::always_inline]] inline Piece rootOf(const Piece& x) {
  Piece root;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    root[i] = std::sqrt(x[i]);
  return root;
}

/// Calls work(at, piece) for pieces of [0, n); `piece` only has the type of an array of its size.
template <typename Work>
[[gnu::always_inline]] inline void forEachPiece(std::size_t n, const Work& work) {
  std::size_t at = 0;
  for (; at + kPiece <= n; at += kPiece)
    work(at, Eigen::Array<float, kPiece, 1>());
  for (; at < n; ++at)
    work(at, Eigen::Array<float, 1, 1>());
}

}  // namespace

// Copies of *update: as far as the compiler knows, a write to w_out could change the original.

void sgd(const SumacUpdate* update, float* w_out, const float* w_in, const float* g,
         std::size_t n) {
  const SumacUpdate u = *update;
  forEachPiece(n, [&]<typename Piece>(std::size_t at, const Piece&) {
    const Piece w = in<Piece>(w_in, at);
    out<Piece>(w_out, at) = w - u.rate * stepGradient(g, w, at, u);
  });
}

void sgdMomentum(const SumacUpdate* update, float* w_out, const float* w_in, float* v,
                 const float* g, std::size_t n) {
  const SumacUpdate u = *update;
  forEachPiece(n, [&]<typename Piece>(std::size_t at, const Piece&) {
    const Piece w = in<Piece>(w_in, at);
    const Piece velocity = u.momentum * in<Piece>(v, at) + stepGradient(g, w, at, u);
    out<Piece>(v, at) = velocity;
    out<Piece>(w_out, at) = w - u.rate * velocity;
  });
}

void sgdNesterov(const SumacUpdate* update, float* w_out, const float* w_in, float* v,
                 const float* g, std::size_t n) {
  const SumacUpdate u = *update;
  forEachPiece(n, [&]<typename Piece>(std::size_t at, const Piece&) {
    const Piece w = in<Piece>(w_in, at);
    const Piece step = stepGradient(g, w, at, u);
    const Piece velocity = u.momentum * in<Piece>(v, at) + step;
    out<Piece>(v, at) = velocity;
    out<Piece>(w_out, at) = w - u.rate * (step + u.momentum * velocity);
  });
}

void adam(const SumacUpdate* update, const SumacAdam* adam, float* w_out, const float* w_in,
          float* mean, float* square, const float* g, std::size_t n) {
  const SumacUpdate u = *update;
  const SumacAdam a = *adam;
  forEachPiece(n, [&]<typename Piece>(std::size_t at, const Piece&) {
    const Piece w = in<Piece>(w_in, at);
    const Piece step = stepGradient(g, w, at, u);
    const Piece first = a.beta1 * in<Piece>(mean, at) + a.fresh1 * step;
    const Piece second = a.beta2 * in<Piece>(square, at) + a.fresh2 * step.square();
    out<Piece>(mean, at) = first;
    out<Piece>(square, at) = second;
    out<Piece>(w_out, at) = w - u.rate * (first / (rootOf(second) / a.root + a.epsilon));
  });
}

}  // namespace sumac::kernels
