#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <Eigen/Core>
#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"
#include "tests/support/kernel_variants.h"

namespace sumac::gemm_eigen_test {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Eigen::Index kMargin = 3;  // columns beside a matrix that the product must leave alone

struct Shape {
  Eigen::Index m, n, k;
};

struct Layout {
  bool transpose_a, transpose_b, accumulate;
};

std::size_t size(Eigen::Index index) {
  return static_cast<std::size_t>(index);
}

/// Values in [-0.5, 0.5) in `rows` x `columns`, with a margin of NaN at the right.
Matrix withMargin(std::uint64_t stream, Eigen::Index rows, Eigen::Index columns) {
  const Rng rng(13, stream);
  Matrix out = Matrix::Constant(rows, columns + kMargin, std::numeric_limits<float>::quiet_NaN());
  std::uint64_t draw = 0;
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j)
      out(i, j) = rng.uniform(draw++) - 0.5F;
  }
  return out;
}

void checkAgainstEigen(const Kernels& kernels, Shape s, Layout layout) {
  const Matrix a = layout.transpose_a ? withMargin(1, s.k, s.m) : withMargin(1, s.m, s.k);
  const Matrix b = layout.transpose_b ? withMargin(2, s.n, s.k) : withMargin(2, s.k, s.n);
  Matrix c = withMargin(3, s.m, s.n);

  // fp64, so that the tolerance is that of the kernel alone.
  const Eigen::MatrixXd left = a.leftCols(a.cols() - kMargin).cast<double>();
  const Eigen::MatrixXd right = b.leftCols(b.cols() - kMargin).cast<double>();
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(s.m, s.n);
  if (layout.accumulate) expected = c.leftCols(s.n).cast<double>();
  if (layout.transpose_a && layout.transpose_b) {
    expected += left.transpose() * right.transpose();
  } else if (layout.transpose_a) {
    expected += left.transpose() * right;
  } else if (layout.transpose_b) {
    expected += left * right.transpose();
  } else {
    expected += left * right;
  }

  const SumacGemm gemm{.m = size(s.m),
                       .n = size(s.n),
                       .k = size(s.k),
                       .a = a.data(),
                       .a_stride = size(a.cols()),
                       .transpose_a = layout.transpose_a ? 1 : 0,
                       .b = b.data(),
                       .b_stride = size(b.cols()),
                       .transpose_b = layout.transpose_b ? 1 : 0,
                       .c = c.data(),
                       .c_stride = size(c.cols()),
                       .accumulate = layout.accumulate ? 1 : 0};
  kernels->gemm(&gemm);

  const Eigen::MatrixXd got = c.leftCols(s.n).cast<double>();
  BOOST_TEST_CONTEXT(kernels->name << ' ' << s.m << 'x' << s.n << 'x' << s.k << " transposed "
                                   << layout.transpose_a << layout.transpose_b << " accumulate "
                                   << layout.accumulate) {
    BOOST_REQUIRE(got.allFinite());
    BOOST_REQUIRE_LT((got - expected).cwiseAbs().maxCoeff(),
                     1e-5 * std::sqrt(static_cast<double>(s.k)));
    BOOST_REQUIRE(c.rightCols(kMargin).array().isNaN().all());
  }
}

void checkEveryLayout(Shape shape) {
  for (const Kernels& kernels : everyVariant()) {
    for (int flags = 0; flags < 8; ++flags) {
      checkAgainstEigen(kernels, shape,
                        {.transpose_a = (flags & 1) != 0,
                         .transpose_b = (flags & 2) != 0,
                         .accumulate = (flags & 4) != 0});
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gemm_beside_eigen)

BOOST_AUTO_TEST_CASE(agrees_for_odd_shapes_in_wider_matrices) {
  for (const Eigen::Index m : {1, 3, 11, 29, 67}) {
    for (const Eigen::Index n : {1, 7, 19, 31, 49, 97}) {
      for (const Eigen::Index k : {1, 2, 9, 63, 255, 259, 517}) {
        checkEveryLayout({m, n, k});
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(agrees_for_the_products_of_lenet5) {
  const Shape shapes[] = {{6, 784, 25},  {16, 100, 150}, {64, 120, 400},
                          {64, 84, 120}, {64, 10, 84},   {120, 400, 64}};
  for (const Shape shape : shapes)
    checkEveryLayout(shape);
}

BOOST_AUTO_TEST_CASE(agrees_for_long_thin_products) {
  const Shape shapes[] = {{1, 1, 5003}, {2, 5, 4099}, {1, 2049, 3}, {1031, 1, 5}};
  for (const Shape shape : shapes)
    checkEveryLayout(shape);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::gemm_eigen_test
