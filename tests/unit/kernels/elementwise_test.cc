#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"
#include "tests/support/kernel_variants.h"

namespace sumac::elementwise_test {
namespace {

constexpr std::size_t kSizes[] = {0, 1, 15, 16, 17, 4095, 4096, 4097, 8193, 70001};

std::vector<float> values(std::uint64_t stream, std::size_t n) {
  const Rng rng(11, stream);
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = std::ldexp(rng.uniform(2 * i) - 0.5F, static_cast<int>(rng.below(2 * i + 1, 20)) - 10);
  }
  return out;
}

void requireSameBits(const std::vector<float>& a, const std::vector<float>& b) {
  BOOST_REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    BOOST_REQUIRE(std::bit_cast<std::uint32_t>(a[i]) == std::bit_cast<std::uint32_t>(b[i]));
  }
}

// The definition: lanes of 16, blocks of 4096, a tree that splits at the greatest power of two.
double squares(const std::vector<float>& x, std::size_t begin, std::size_t end) {
  if (end - begin > 4096) {
    std::size_t left = 4096;
    while (left * 2 < end - begin)
      left *= 2;
    return squares(x, begin, begin + left) + squares(x, begin + left, end);
  }
  double lanes[16] = {};
  for (std::size_t i = begin; i < end; ++i) {
    lanes[(i - begin) % 16] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
  for (int width = 8; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane)
      lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

}  // namespace

BOOST_AUTO_TEST_SUITE(elementwise)

BOOST_AUTO_TEST_CASE(add_gives_the_same_bits_in_every_variant_also_in_place) {
  for (const std::size_t n : kSizes) {
    const auto a = values(1, n);
    const auto b = values(2, n);
    std::vector<float> expected(n);
    for (std::size_t i = 0; i < n; ++i)
      expected[i] = a[i] + b[i];
    for (const Kernels& kernels : everyVariant()) {
      std::vector<float> out(n);
      kernels->add(out.data(), a.data(), b.data(), n);
      requireSameBits(out, expected);
      out = a;
      kernels->add(out.data(), out.data(), b.data(), n);
      requireSameBits(out, expected);
      out = b;
      kernels->add(out.data(), a.data(), out.data(), n);
      requireSameBits(out, expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(sum_of_squares_follows_the_fixed_tree_in_every_variant) {
  for (const std::size_t n : kSizes) {
    const auto x = values(3, n);
    for (const Kernels& kernels : everyVariant()) {
      BOOST_TEST(kernels->sumOfSquares(x.data(), n) == squares(x, 0, n));
    }
  }
}

BOOST_AUTO_TEST_CASE(relu_and_its_gradient_keep_nan_and_work_in_place) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> x{-1.0F, 0.0F, 2.0F, nan, -0.5F, 3.0F, 1e-30F};
    kernels->activate(kSumacRelu, x.data(), x.data(), x.size());
    BOOST_TEST(x[0] == 0.0F);
    BOOST_TEST(x[2] == 2.0F);
    BOOST_TEST(std::isnan(x[3]));
    BOOST_TEST(x[6] == 1e-30F);
    std::vector<float> gradients(x.size(), 5.0F);
    kernels->activateBackward(kSumacRelu, gradients.data(), gradients.data(), x.data(), x.size());
    BOOST_TEST(gradients == (std::vector<float>{0, 0, 5, 0, 0, 5, 5}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(rows_are_summed_column_by_column_and_added_to_what_is_there) {
  for (const Kernels& kernels : everyVariant()) {
    const std::vector<float> rows{1, 2, 3, -9, 4, 5, 6, -9};  // three columns of four
    std::vector<float> sums(3, 7.0F);
    const SumacRows all{.x = rows.data(), .stride = 4, .count = 2};
    kernels->sumRows(sums.data(), &all, 3, /*accumulate=*/0);
    BOOST_TEST(sums == (std::vector<float>{5, 7, 9}), boost::test_tools::per_element());
    kernels->sumRows(sums.data(), &all, 3, /*accumulate=*/1);
    BOOST_TEST(sums == (std::vector<float>{10, 14, 18}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(each_column_is_one_chain_of_additions_whatever_its_neighbours) {
  constexpr std::size_t kRows = 37;
  for (const std::size_t columns : {1U, 2U, 10U, 31U, 127U, 128U, 129U, 200U, 255U, 256U, 300U}) {
    const std::size_t stride = columns + 3;
    const auto rows = values(5, kRows * stride);
    const SumacRows all{.x = rows.data(), .stride = stride, .count = kRows};
    const auto before = values(6, columns);
    std::vector<float> chains(columns);
    std::vector<float> added(columns);
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t i = 0; i < kRows; ++i)
        chains[j] += rows[i * stride + j];
      added[j] = before[j] + chains[j];
    }
    for (const Kernels& kernels : everyVariant()) {
      std::vector<float> sums(columns + 1, 7.0F);
      kernels->sumRows(sums.data(), &all, columns, /*accumulate=*/0);
      BOOST_TEST(sums.back() == 7.0F);
      sums.pop_back();
      requireSameBits(sums, chains);
      std::vector<float> sum = before;
      kernels->sumRows(sum.data(), &all, columns, /*accumulate=*/1);
      requireSameBits(sum, added);
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_that_lie_apart_are_summed_as_if_they_followed_each_other) {
  constexpr std::size_t kColumns = 150;
  const auto values_there = values(7, 60 * kColumns);
  for (const std::size_t count : {1U, 3U, 4U, 11U}) {
    std::vector<float> chosen;  // three rows, then two that are others'
    for (std::size_t i = 0; i < count; ++i) {
      const auto row =
          values_there.begin() + static_cast<std::ptrdiff_t>((i / 3 * 5 + i % 3) * kColumns);
      chosen.insert(chosen.end(), row, row + kColumns);
    }
    const SumacRows together{.x = chosen.data(), .stride = kColumns, .count = count};
    SumacRows apart = together;
    apart.x = values_there.data();
    apart.run = 3;
    apart.skip = 2;
    for (const Kernels& kernels : everyVariant()) {
      std::vector<float> expected(kColumns);
      std::vector<float> found(kColumns);
      kernels->sumRows(expected.data(), &together, kColumns, /*accumulate=*/0);
      kernels->sumRows(found.data(), &apart, kColumns, /*accumulate=*/0);
      requireSameBits(found, expected);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::elementwise_test
