#include "common/page/numbers.h"

#include <boost/test/unit_test.hpp>

namespace sumac::page::numbers_test {

BOOST_AUTO_TEST_SUITE(numbers)

BOOST_AUTO_TEST_CASE(ticks_are_round_and_cover_the_range) {
  BOOST_TEST(ticks(0, 100, 5) == (std::vector<double>{0, 20, 40, 60, 80, 100}),
             boost::test_tools::per_element());
  BOOST_TEST(ticks(-1, 13, 4) == (std::vector<double>{-5, 0, 5, 10, 15}),
             boost::test_tools::per_element());
  BOOST_TEST(ticks(0, 1, 5).size() == 6U);
}

BOOST_AUTO_TEST_CASE(labels_have_the_digits_that_their_distance_needs) {
  BOOST_TEST(tickTexts({0, 0.5, 1}) == (std::vector<std::string>{"0.0", "0.5", "1.0"}),
             boost::test_tools::per_element());
  BOOST_TEST(tickTexts({0, 5'000, 10'000}) == (std::vector<std::string>{"0", "5,000", "10,000"}),
             boost::test_tools::per_element());
  BOOST_TEST(tickTexts({8}) == std::vector<std::string>{"8"}, boost::test_tools::per_element());
  BOOST_TEST(tickTexts({}).empty());
}

BOOST_AUTO_TEST_CASE(numbers_have_about_four_digits) {
  BOOST_TEST(readable(67'387.4) == "67,387");
  BOOST_TEST(readable(1'053.2) == "1,053");
  BOOST_TEST(readable(105.34) == "105.3");
  BOOST_TEST(readable(9.8765) == "9.877");
  BOOST_TEST(readable(0.51234) == "0.512");
  BOOST_TEST(readable(0.0051234) == "0.00512");
  BOOST_TEST(readable(0) == "0");
  BOOST_TEST(readable(-1'234'567) == "-1,234,567");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::page::numbers_test
