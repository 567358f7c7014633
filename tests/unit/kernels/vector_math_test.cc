#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/kernel_variants.h"

namespace sumac::vector_math_test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

double ulps(float value, long double expected) {
  const auto rounded = static_cast<float>(expected);
  const float unit = std::nextafter(std::abs(rounded), kInfinity) - std::abs(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(value) - expected) /
                             static_cast<long double>(unit));
}

struct Range {
  float low;  // both above zero
  float high;
  bool negative;  // -x of all values, too
};

/// Every 997th float of the range: a prime, so that every length of mantissa occurs.
std::vector<float> floatsOf(Range range) {
  std::vector<float> values;
  const auto last = std::bit_cast<std::uint32_t>(range.high);
  for (auto bits = std::bit_cast<std::uint32_t>(range.low); bits <= last; bits += 997) {
    values.push_back(std::bit_cast<float>(bits));
    if (range.negative) values.push_back(-values.back());
  }
  return values;
}

/// A function of the table, applied to n values.
using ArrayFunction = void (*)(const KernelTable&, float*, const float*, std::size_t);

constexpr ArrayFunction kExponential = [](const KernelTable& table, float* y, const float* x,
                                          std::size_t n) { table.exponential(y, x, n); };
constexpr ArrayFunction kLogarithm = [](const KernelTable& table, float* y, const float* x,
                                        std::size_t n) { table.logarithm(y, x, n); };
constexpr ArrayFunction kTanh = [](const KernelTable& table, float* y, const float* x,
                                   std::size_t n) { table.activate(kSumacTanh, y, x, n); };
constexpr ArrayFunction kSigmoid = [](const KernelTable& table, float* y, const float* x,
                                      std::size_t n) { table.activate(kSumacSigmoid, y, x, n); };

/// Within 2 ulp, and the same bits in every variant.
template <typename Expected>
void check(ArrayFunction function, const std::vector<float>& x, Expected expected) {
  std::vector<float> first;
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> out(x.size());
    function(*kernels, out.data(), x.data(), x.size());
    if (first.empty()) first = out;
    BOOST_REQUIRE(out == first);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(first[i], expected(static_cast<long double>(x[i])));
    BOOST_REQUIRE_MESSAGE(error <= 2.0, error << " ulp at " << x[i]);
  }
}

std::vector<float> valuesOf(ArrayFunction function, const Kernels& kernels, std::vector<float> x) {
  function(*kernels, x.data(), x.data(), x.size());
  return x;
}

const std::vector<float> kExtremes{-kInfinity, -1000.0F,  -0.0F,        0.0F,
                                   1000.0F,    kInfinity, std::nanf("")};

}  // namespace

BOOST_AUTO_TEST_SUITE(vector_math)

BOOST_AUTO_TEST_CASE(exponential_is_within_2_ulp_and_the_same_in_every_variant) {
  const auto exp = [](long double x) { return std::exp(x); };
  check(kExponential, floatsOf({1e-10F, 87.29F, true}), exp);
  check(kExponential, floatsOf({87.29F, 88.7F, false}), exp);
}

BOOST_AUTO_TEST_CASE(logarithm_is_within_2_ulp_and_the_same_in_every_variant) {
  const auto log = [](long double x) { return std::log(x); };
  check(kLogarithm, floatsOf({1.2e-38F, 3.4e38F, false}), log);
  check(kLogarithm, floatsOf({0.999F, 1.001F, false}), log);
}

BOOST_AUTO_TEST_CASE(tanh_is_within_2_ulp_and_the_same_in_every_variant) {
  const auto tanh = [](long double x) { return std::tanh(x); };
  check(kTanh, floatsOf({1e-30F, 20.0F, true}), tanh);
}

BOOST_AUTO_TEST_CASE(sigmoid_is_within_2_ulp_and_the_same_in_every_variant) {
  const auto sigmoid = [](long double x) { return 1.0L / (1.0L + std::exp(-x)); };
  check(kSigmoid, floatsOf({1e-30F, 87.29F, true}), sigmoid);
}

BOOST_AUTO_TEST_CASE(extremes_saturate_and_nan_stays_nan) {
  for (const Kernels& kernels : everyVariant()) {
    const auto exponential = valuesOf(kExponential, kernels, kExtremes);
    BOOST_TEST(exponential[0] == 0.0F);
    BOOST_TEST(exponential[1] == 0.0F);
    BOOST_TEST(exponential[2] == 1.0F);
    BOOST_TEST(exponential[5] > 3e38F);
    BOOST_TEST(std::isnan(exponential[6]));

    const auto logarithm = valuesOf(kLogarithm, kernels, kExtremes);
    BOOST_TEST(std::isnan(logarithm[6]));

    const auto tanh = valuesOf(kTanh, kernels, kExtremes);
    BOOST_TEST(tanh[0] == -1.0F);
    BOOST_TEST(tanh[1] == -1.0F);
    BOOST_TEST((tanh[2] == 0.0F && std::signbit(tanh[2])));
    BOOST_TEST(tanh[4] == 1.0F);
    BOOST_TEST(tanh[5] == 1.0F);
    BOOST_TEST(std::isnan(tanh[6]));

    const auto sigmoid = valuesOf(kSigmoid, kernels, kExtremes);
    BOOST_TEST(sigmoid[0] == 0.0F);
    BOOST_TEST(sigmoid[1] == 0.0F);
    BOOST_TEST(sigmoid[3] == 0.5F);
    BOOST_TEST(sigmoid[4] == 1.0F);
    BOOST_TEST(sigmoid[5] == 1.0F);
    BOOST_TEST(std::isnan(sigmoid[6]));
  }
}

BOOST_AUTO_TEST_CASE(a_value_has_the_same_bits_whatever_values_are_beside_it) {
  for (const Kernels& kernels : everyVariant()) {
    for (const auto function : {kExponential, kLogarithm, kTanh, kSigmoid}) {
      const auto x = floatsOf({0.5F, 0.501F, false});
      const auto together = valuesOf(function, kernels, x);
      for (std::size_t i = 0; i < x.size(); i += 7) {
        BOOST_REQUIRE(valuesOf(function, kernels, {x[i]})[0] == together[i]);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(derivatives_follow_from_the_values) {
  const std::vector<float> y{-0.5F, 0.0F, 0.25F, 1.0F};
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> gradients(4, 2.0F);
    kernels->activateBackward(kSumacTanh, gradients.data(), gradients.data(), y.data(), 4);
    BOOST_TEST(gradients == (std::vector<float>{1.5F, 2.0F, 1.875F, 0.0F}),
               boost::test_tools::per_element());
    gradients.assign(4, 2.0F);
    kernels->activateBackward(kSumacSigmoid, gradients.data(), gradients.data(), y.data(), 4);
    BOOST_TEST(gradients == (std::vector<float>{-1.5F, 0.0F, 0.375F, 0.0F}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::vector_math_test
