#include "planner/advice/texts.h"

#include <boost/test/unit_test.hpp>

namespace sumac::planner {

BOOST_AUTO_TEST_SUITE(texts)

BOOST_AUTO_TEST_CASE(every_number_has_a_unit_and_three_digits) {
  BOOST_TEST(durationText(0) == "0 s");
  BOOST_TEST(durationText(3.1e-7) == "0.31 us");
  BOOST_TEST(durationText(0.0123) == "12.3 ms");
  BOOST_TEST(durationText(119) == "119 s");
  BOOST_TEST(durationText(180) == "3 min");
  BOOST_TEST(durationText(7200) == "2 h");
  BOOST_TEST(durationText(864000) == "10 days");
  BOOST_TEST(percentText(0.073) == "7.3 %");
  BOOST_TEST(percentText(0.5) == "50 %");
  BOOST_TEST(moneyText(12.5, "USD") == "12.50 USD");
  BOOST_TEST(givenMoneyText(0.0712, "EUR") == "0.0712 EUR");
  BOOST_TEST(givenMoneyText(0.12345, "EUR") == "0.12345 EUR");
  BOOST_TEST(givenMoneyText(3, "EUR") == "3.00 EUR");
  BOOST_TEST(moneyText(0.00123, "EUR") == "0.00123 EUR");
  BOOST_TEST(linkText(125e6) == "1 Gbit/s");
  BOOST_TEST(linkText(12.5e6) == "100 Mbit/s");
  BOOST_TEST(operationsText(5e11) == "500 GFLOP/s");
  BOOST_TEST(digitsText(1234567) == "1234567");
}

BOOST_AUTO_TEST_CASE(margins_go_both_ways) {
  BOOST_TEST(marginText(0.123) == "± 12 %");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner
