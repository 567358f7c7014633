#include <cmath>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/kernel_variants.h"

namespace sumac {

BOOST_AUTO_TEST_SUITE(pooling)

BOOST_AUTO_TEST_CASE(takes_the_first_greatest_value_and_gives_the_slope_back_to_it) {
  // Two planes of 2 x 5: the last column belongs to no window.
  const SumacMaxPool shape{2, 2, 5, 1, 2, 2, 2};
  const std::vector<float> x{1,  4,  2, 2, 99, 3,  4,  2, 2,  99,  //
                             -5, -4, 0, 7, 99, -3, -6, 8, -1, 99};
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> y(4);
    std::vector<std::int32_t> argmax(4);
    kernels->maxPool(&shape, y.data(), argmax.data(), x.data());
    BOOST_TEST(y == (std::vector<float>{4, 2, -3, 8}), boost::test_tools::per_element());
    BOOST_TEST(argmax == (std::vector<std::int32_t>{1, 2, 5, 7}), boost::test_tools::per_element());

    const std::vector<float> dy{10, 20, 30, 40};
    std::vector<float> dx(20, 1.0F);
    kernels->maxPoolBackward(&shape, dx.data(), dy.data(), argmax.data());
    BOOST_TEST(
        dx == (std::vector<float>{0, 10, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 40, 0, 0}),
        boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(adds_the_slopes_of_windows_that_overlap) {
  const SumacMaxPool shape{1, 3, 3, 2, 2, 2, 1};
  const std::vector<float> x{0, 0, 0, 0, 9, 0, 0, 0, 0};
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> y(4);
    std::vector<std::int32_t> argmax(4);
    kernels->maxPool(&shape, y.data(), argmax.data(), x.data());
    std::vector<float> dx(9);
    const std::vector<float> dy{1, 2, 3, 4};
    kernels->maxPoolBackward(&shape, dx.data(), dy.data(), argmax.data());
    BOOST_TEST(dx == (std::vector<float>{0, 0, 0, 0, 10, 0, 0, 0, 0}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(lets_nan_through) {
  const SumacMaxPool shape{1, 2, 4, 1, 2, 2, 2};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{1, nan, nan, 2, 3, 0, 1, 5};
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> y(2);
    std::vector<std::int32_t> argmax(2);
    kernels->maxPool(&shape, y.data(), argmax.data(), x.data());
    BOOST_TEST(std::isnan(y[0]));
    BOOST_TEST(std::isnan(y[1]));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
