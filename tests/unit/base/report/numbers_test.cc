#include "base/report/numbers.h"

#include <boost/test/unit_test.hpp>

namespace sumac::report::numbers_test {

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

BOOST_AUTO_TEST_CASE(logarithmic_ticks_are_powers_of_ten_and_finer_where_few) {
  const auto texts = [](double low, double high) {
    std::string all;
    for (const std::string& text : logarithmicTickTexts(logarithmicTicks(low, high)))
      all += (all.empty() ? "" : " ") + text;
    return all;
  };
  BOOST_TEST(texts(3, 60) == "2 5 10 20 50 100");
  BOOST_TEST(texts(0.02, 1'500) == "0.01 0.1 1 10 100 1,000 10,000");
  BOOST_TEST(texts(1, 1) == "1 2");
  BOOST_TEST(texts(10, 100) == "10 20 50 100");
  BOOST_TEST(texts(0.3, 0.4) == "0.2 0.5");
  BOOST_TEST(logarithmicTickTexts({1e-300, 1e10}) == (std::vector<std::string>{"1e-300", "1e10"}),
             boost::test_tools::per_element());
  BOOST_TEST(logarithmicTicks(1e-9, 1e9).size() <= 9U);
  BOOST_TEST(logarithmicTicks(1e-9, 1e9).back() >= 1e9);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::report::numbers_test
