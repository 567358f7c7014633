#include "worker/train/exchange_timing.h"

#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::worker::exchange_timing_test {
namespace {

constexpr int kParts = 5;
constexpr std::size_t kSize = 300;  // more than the synthetic values' period

std::vector<float> sumOf(Step step) {
  std::vector<float> sum(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    for (int part = 0; part < kParts; ++part)
      sum[i] += syntheticValue({part, part + 1}, step, i);
  }
  return sum;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(exchange_timing)

BOOST_AUTO_TEST_CASE(a_sum_over_the_parts_is_exact_in_any_order) {
  for (std::size_t i = 0; i < kSize; ++i) {
    const float left = syntheticValue({0, 4}, 7, i);
    BOOST_TEST(left + syntheticValue({4, 5}, 7, i) == syntheticValue({0, kParts}, 7, i));
  }
}

BOOST_AUTO_TEST_CASE(the_right_sum_is_not_wrong) {
  BOOST_TEST(wrongSum(sumOf(3), kParts, 3) == "");
}

BOOST_AUTO_TEST_CASE(names_the_first_value_that_is_wrong) {
  auto sum = sumOf(3);
  sum[250] += 1;
  sum[270] += 1;

  test::checkGolden("worker/train/wrong_sum.txt", wrongSum(sum, kParts, 3) + "\n");
}

BOOST_AUTO_TEST_CASE(notices_the_sum_of_another_step_and_one_that_lacks_a_part) {
  BOOST_TEST(wrongSum(sumOf(1), kParts, 3) != "");
  BOOST_TEST(wrongSum(sumOf(2), kParts, 3) != "");
  BOOST_TEST(wrongSum(sumOf(3), kParts + 1, 3) != "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::exchange_timing_test
