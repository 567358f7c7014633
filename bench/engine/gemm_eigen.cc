#include "bench/engine/gemm_eigen.h"

#include <Eigen/Core>

namespace sumac::bench {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;

Eigen::Map<const Matrix, 0, Stride> operand(const float* values, std::size_t rows,
                                            std::size_t columns, std::size_t stride) {
  return {values, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns),
          Stride(static_cast<Eigen::Index>(stride))};
}

template <typename Left, typename Right>
void multiply(const SumacGemm& g, const Left& a, const Right& b) {
  Eigen::Map<Matrix, 0, Stride> c(g.c, static_cast<Eigen::Index>(g.m),
                                  static_cast<Eigen::Index>(g.n),
                                  Stride(static_cast<Eigen::Index>(g.c_stride)));
  if (g.accumulate != 0) {
    c.noalias() += a * b;
  } else {
    c.noalias() = a * b;
  }
}

template <typename Left>
void multiply(const SumacGemm& g, const Left& a) {
  if (g.transpose_b != 0) {
    multiply(g, a, operand(g.b, g.n, g.k, g.b_stride).transpose());
  } else {
    multiply(g, a, operand(g.b, g.k, g.n, g.b_stride));
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void SUMAC_EIGEN_GEMM(SUMAC_EIGEN_VARIANT)(
    const SumacGemm* gemm) {
  const SumacGemm& g = *gemm;
  if (g.transpose_a != 0) {
    multiply(g, operand(g.a, g.k, g.m, g.a_stride).transpose());
  } else {
    multiply(g, operand(g.a, g.m, g.k, g.a_stride));
  }
}

}  // namespace sumac::bench
