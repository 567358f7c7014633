#include "base/trace/step_range.h"

#include <string>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac::trace::step_range_test {
namespace {

constexpr const char* kMalformed[] = {
    "",      ":",    "5",   "5:",  ":5",   "a:b",  "1:2:3", "1-2",
    "1.5:2", "-1:2", "0:2", "1:0", "+1:2", " 1:2", "1:2 ",  "1:99999999999999999999"};

}  // namespace

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

BOOST_DATA_TEST_CASE(malformed_ones_are_rejected_with_an_example,
                     boost::unit_test::data::make(kMalformed), text) {
  const std::string why = checkStepRange(text);

  BOOST_TEST(why.starts_with("`" + std::string(text) + "` is not a range of steps"), why);
  BOOST_TEST(why.find("FROM:TO, such as 10:20") != std::string::npos, why);
}

BOOST_AUTO_TEST_CASE(one_that_ends_before_it_begins_is_rejected) {
  BOOST_TEST(checkStepRange("20:10") ==
             "`20:10` ends before it begins; write the lower step first");
  BOOST_TEST(checkStepRange("10:20").empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trace::step_range_test
