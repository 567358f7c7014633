#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"
#include "tests/support/kernel_variants.h"

namespace sumac::gemm_test {
namespace {

struct Shape {
  std::size_t m, n, k;
};

std::vector<float> values(std::uint64_t stream, std::size_t n) {
  const Rng rng(12, stream);
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = rng.uniform(i) - 0.5F;
  return out;
}

// With b packed before: the same bits.
void checkPacked(const Kernels& kernels, SumacGemm gemm, std::vector<float> c,
                 const std::vector<float>& expected) {
  std::vector<float> packed(kernels->gemmPackedSize(gemm.k, gemm.n));
  kernels->gemmPack(&gemm, packed.data());
  gemm.b = nullptr;
  gemm.c = c.data();
  kernels->gemmPacked(&gemm, packed.data());
  BOOST_REQUIRE(c == expected);
}

void checkGemm(const Kernels& kernels, Shape s, bool transpose_a, bool transpose_b,
               bool accumulate) {
  const auto a = values(1, s.m * s.k);
  const auto b = values(2, s.k * s.n);
  const auto before = values(3, s.m * s.n);
  auto c = before;
  const SumacGemm gemm{.m = s.m,
                       .n = s.n,
                       .k = s.k,
                       .a = a.data(),
                       .a_stride = transpose_a ? s.m : s.k,
                       .transpose_a = transpose_a ? 1 : 0,
                       .b = b.data(),
                       .b_stride = transpose_b ? s.k : s.n,
                       .transpose_b = transpose_b ? 1 : 0,
                       .c = c.data(),
                       .c_stride = s.n,
                       .accumulate = accumulate ? 1 : 0};
  kernels->gemm(&gemm);
  checkPacked(kernels, gemm, before, c);
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) {
      double expected = accumulate ? static_cast<double>(before[i * s.n + j]) : 0.0;
      for (std::size_t p = 0; p < s.k; ++p) {
        const float left = transpose_a ? a[p * s.m + i] : a[i * s.k + p];
        const float right = transpose_b ? b[j * s.k + p] : b[p * s.n + j];
        expected += static_cast<double>(left) * static_cast<double>(right);
      }
      const double error = std::abs(static_cast<double>(c[i * s.n + j]) - expected);
      BOOST_REQUIRE_LT(error, 1e-5 * std::sqrt(static_cast<double>(s.k)));
    }
  }
}

/// Of rows of `columns` values those that a run takes, one after the other.
std::vector<float> chosenRows(const std::vector<float>& rows, std::size_t columns,
                              const SumacGemm& gemm) {
  std::vector<float> chosen;
  for (std::size_t p = 0; p < gemm.k; ++p) {
    const std::size_t row = p / gemm.run * (gemm.run + gemm.skip) + p % gemm.run;
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(row * columns);
    chosen.insert(chosen.end(), from, from + static_cast<std::ptrdiff_t>(columns));
  }
  return chosen;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gemm)

BOOST_AUTO_TEST_CASE(agrees_with_the_definition_for_every_edge_of_its_tiles) {
  for (const Kernels& kernels : everyVariant()) {
    for (const std::size_t m : {1U, 5U, 6U, 7U, 12U, 13U, 121U}) {
      for (const std::size_t n : {1U, 4U, 8U, 15U, 16U, 17U, 32U, 33U}) {
        for (const std::size_t k : {1U, 25U, 256U, 257U}) {
          for (int flags = 0; flags < 8; ++flags) {
            checkGemm(kernels, {m, n, k}, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(gives_a_row_the_same_bits_whatever_rows_are_beside_it) {
  constexpr std::size_t kRows = 37;
  constexpr std::size_t kColumns = 45;
  constexpr std::size_t kDepth = 300;
  const auto a = values(4, kRows * kDepth);
  const auto b = values(5, kDepth * kColumns);
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> together(kRows * kColumns);
    const SumacGemm all{kRows,    kColumns, kDepth, a.data(),        kDepth,   0,
                        b.data(), kColumns, 0,      together.data(), kColumns, 0};
    kernels->gemm(&all);
    for (std::size_t i = 0; i < kRows; ++i) {
      std::vector<float> alone(kColumns);
      const SumacGemm one{1,        kColumns, kDepth, a.data() + i * kDepth, kDepth,   0,
                          b.data(), kColumns, 0,      alone.data(),          kColumns, 0};
      kernels->gemm(&one);
      BOOST_REQUIRE(std::equal(alone.begin(), alone.end(),
                               together.begin() + static_cast<std::ptrdiff_t>(i * kColumns)));
    }
  }
}

// Within one cut of the chain, over several, and with a cut in the middle of a run.
BOOST_AUTO_TEST_CASE(sums_over_rows_that_lie_apart_as_if_they_followed_each_other) {
  for (const Shape s : {Shape{25, 40, 1}, Shape{13, 33, 100}, Shape{131, 70, 601}}) {
    for (const std::size_t run : {1U, 5U, 7U}) {
      const auto a = values(6, s.m * (s.k + run) * 4);
      const auto b = values(7, s.n * (s.k + run) * 4);
      std::vector<float> expected(s.m * s.n);
      std::vector<float> found(s.m * s.n);
      SumacGemm gemm{s.m, s.n, s.k, a.data(), s.m, 1, b.data(), s.n, 0, found.data(), s.n, 0};
      gemm.run = run;
      gemm.skip = 2 * run;
      const auto together_a = chosenRows(a, s.m, gemm);
      const auto together_b = chosenRows(b, s.n, gemm);
      SumacGemm together = gemm;
      together.a = together_a.data();
      together.b = together_b.data();
      together.c = expected.data();
      together.run = together.skip = 0;
      for (const Kernels& kernels : everyVariant()) {
        kernels->gemm(&together);
        kernels->gemm(&gemm);
        BOOST_REQUIRE(found == expected);
        checkPacked(kernels, gemm, std::vector<float>(s.m * s.n), expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(accumulates_and_adds_the_bias_in_one_addition_each) {
  for (const Kernels& kernels : everyVariant()) {
    for (const Shape s : {Shape{131, 275, 256}, Shape{131, 275, 700}, Shape{5, 9, 1030}}) {
      for (const bool transpose_a : {false, true}) {
        const auto a = values(6, s.m * s.k);
        const auto b = values(7, s.k * s.n);
        const auto bias = values(8, s.n);
        const auto before = values(9, s.m * s.n);
        const std::size_t a_stride = transpose_a ? s.m : s.k;
        std::vector<float> product(s.m * s.n);
        SumacGemm gemm{s.m,      s.n, s.k, a.data(),       a_stride, transpose_a ? 1 : 0,
                       b.data(), s.n, 0,   product.data(), s.n,      0};
        kernels->gemm(&gemm);
        auto expected = before;
        auto with_bias = product;
        for (std::size_t i = 0; i < product.size(); ++i) {
          with_bias[i] = product[i] + bias[i % s.n];
          expected[i] += with_bias[i];
        }

        auto found = before;
        gemm.c = found.data();
        gemm.bias = bias.data();
        kernels->gemm(&gemm);
        BOOST_REQUIRE(found == with_bias);
        found = before;
        gemm.accumulate = 1;
        kernels->gemm(&gemm);
        BOOST_REQUIRE(found == expected);
        checkPacked(kernels, gemm, before, expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(gives_a_value_the_same_bits_whatever_rows_and_columns_are_beside_it) {
  constexpr Shape kShape{260, 530, 520};
  const auto a = values(4, kShape.m * kShape.k);
  const auto b = values(5, kShape.k * kShape.n);
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> together(kShape.m * kShape.n);
    const SumacGemm all{kShape.m, kShape.n, kShape.k, a.data(),        kShape.k, 0,
                        b.data(), kShape.n, 0,        together.data(), kShape.n, 0};
    kernels->gemm(&all);
    for (const Shape piece : {Shape{1, 1, 0}, Shape{17, 33, 0}, Shape{121, 257, 0}}) {
      const std::size_t row = kShape.m - piece.m;
      const std::size_t column = kShape.n - piece.n;
      std::vector<float> alone(piece.m * piece.n);
      SumacGemm part = all;
      part.m = piece.m;
      part.n = piece.n;
      part.a += row * kShape.k;
      part.b += column;
      part.c = alone.data();
      part.c_stride = piece.n;
      kernels->gemm(&part);
      for (std::size_t i = 0; i < piece.m; ++i) {
        for (std::size_t j = 0; j < piece.n; ++j)
          BOOST_REQUIRE(alone[i * piece.n + j] == together[(row + i) * kShape.n + column + j]);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::gemm_test
