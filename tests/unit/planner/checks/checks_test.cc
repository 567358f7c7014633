#include "planner/checks/checks.h"

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"

namespace sumac::planner::checks_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

BOOST_AUTO_TEST_SUITE(checks)

BOOST_AUTO_TEST_CASE(a_number_that_cannot_be_is_named_with_its_unit) {
  const auto checked = checkPositive("lemma", {{"the time", 1, "s"}, {"the size", -2.5, "bytes"}});

  test::Refusals refusals;
  refusals.add("a size below zero", checked, "-2.5 bytes");
  refusals.compareWith("planner/checks/checks.txt");
}

BOOST_AUTO_TEST_CASE(zero_is_not_positive_but_not_negative) {
  BOOST_TEST(!checkPositive("lemma", {{"x", 0, ""}}).has_value());
  BOOST_TEST(checkNotNegative("lemma", {{"x", 0, ""}}).has_value());
  BOOST_TEST(!checkNotNegative("lemma", {{"x", -1e-300, ""}}).has_value());
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_neither) {
  for (const double value : {std::nan(""), kInfinity, -kInfinity}) {
    BOOST_TEST(!checkPositive("lemma", {{"x", value, ""}}).has_value());
    BOOST_TEST(!checkNotNegative("lemma", {{"x", value, ""}}).has_value());
  }
}

BOOST_AUTO_TEST_CASE(a_count_is_rounded_up_but_not_for_rounding_errors) {
  BOOST_TEST(*countFrom("lemma", 0.2) == 1);
  BOOST_TEST(*countFrom("lemma", 3) == 3);
  BOOST_TEST(*countFrom("lemma", 3.001) == 4);
  BOOST_TEST(*countFrom("lemma", 3 * (1 + 4e-16)) == 3);
  BOOST_TEST(!countFrom("lemma", 1e17).has_value());
  BOOST_TEST(!countFrom("lemma", std::nan("")).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::checks_test
