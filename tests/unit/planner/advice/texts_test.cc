#include "planner/advice/texts.h"

#include <boost/test/unit_test.hpp>

namespace sumac::planner {

BOOST_AUTO_TEST_SUITE(texts)

BOOST_AUTO_TEST_CASE(money_and_links_have_units) {
  BOOST_TEST(moneyText(12.5, "USD") == "12.50 USD");
  BOOST_TEST(givenMoneyText(0.0712, "EUR") == "0.0712 EUR");
  BOOST_TEST(givenMoneyText(0.12345, "EUR") == "0.12345 EUR");
  BOOST_TEST(givenMoneyText(3, "EUR") == "3.00 EUR");
  BOOST_TEST(moneyText(0.00123, "EUR") == "0.00123 EUR");
  BOOST_TEST(linkText(125e6) == "1 Gbit/s");
  BOOST_TEST(linkText(12.5e6) == "100 Mbit/s");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner
