#include "base/trace/step_range.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::trace::step_range_test {

BOOST_AUTO_TEST_SUITE(step_range)

BOOST_AUTO_TEST_CASE(is_two_steps_both_included) {
  const auto steps = stepRangeFrom("10:20");

  BOOST_TEST_REQUIRE(steps.has_value());
  BOOST_TEST(toString(*steps) == "10:20");
  BOOST_TEST(!steps->contains(9));
  BOOST_TEST(steps->contains(10));
  BOOST_TEST(steps->contains(20));
  BOOST_TEST(!steps->contains(21));
}

BOOST_AUTO_TEST_CASE(may_be_one_step_and_as_late_as_any) {
  BOOST_TEST(stepRangeFrom("1:1").has_value());
  BOOST_TEST(stepRangeFrom("9223372036854775807:9223372036854775807").has_value());
}

BOOST_AUTO_TEST_CASE(malformed_ones_and_those_that_end_before_they_begin_are_rejected) {
  test::Transcript said;
  for (const char* const text :
       {"", ":", "5", "5:", ":5", "a:b", "1:2:3", "1-2", "1.5:2", "-1:2", "0:2", "1:0", "+1:2",
        " 1:2", "1:2 ", "1:99999999999999999999", "20:10"}) {
    const std::string why = checkStepRange(text);
    BOOST_TEST(!why.empty(), text);
    said.add("`" + std::string(text) + "`", why);
  }
  test::checkGolden("base/trace/step_range.txt", said.text());
  BOOST_TEST(checkStepRange("10:20").empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trace::step_range_test
