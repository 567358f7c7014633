#include "base/core/rng.h"

#include <boost/test/unit_test.hpp>

namespace sumac::rng_test {

BOOST_AUTO_TEST_SUITE(rng)

BOOST_AUTO_TEST_CASE(gives_the_known_answers_of_philox4x32_10) {
  // Known-answer vectors of the Random123 distribution: counter and key all zero, and all one bits.
  const std::array<std::uint32_t, 4> zeros{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U};
  const std::array<std::uint32_t, 4> ones{0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU};

  BOOST_TEST(Rng(0, 0).block(0) == zeros, boost::test_tools::per_element());
  BOOST_TEST(Rng(~0ULL, ~0ULL).block(~0ULL) == ones, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(stays_below_its_bound_and_reaches_both_ends) {
  const Rng rng(7, 1);
  bool low = false;
  bool high = false;
  for (std::uint64_t n = 0; n < 200; ++n) {
    const auto value = rng.below(n, 5);
    BOOST_REQUIRE(value < 5U);
    low = low || value == 0;
    high = high || value == 4;
  }
  BOOST_TEST(low);
  BOOST_TEST(high);
}

BOOST_AUTO_TEST_CASE(draws_uniform_numbers_with_the_right_mean) {
  const Rng rng(1, 2);
  double sum = 0;
  for (std::uint64_t n = 0; n < 10000; ++n) {
    const float value = rng.uniform(n);
    BOOST_REQUIRE(value >= 0.0F);
    BOOST_REQUIRE(value < 1.0F);
    sum += static_cast<double>(value);
  }
  BOOST_TEST(sum / 10000 == 0.5, boost::test_tools::tolerance(0.02));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::rng_test
