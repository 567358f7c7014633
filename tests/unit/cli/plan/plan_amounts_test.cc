#include "cli/plan/plan_amounts.h"

#include <boost/test/unit_test.hpp>

namespace sumac::cli {

BOOST_AUTO_TEST_SUITE(plan_amounts)

BOOST_AUTO_TEST_CASE(amounts_have_their_units) {
  BOOST_TEST(secondsIn("90s").value() == 90);
  BOOST_TEST(secondsIn("1.5h").value() == 5400);
  BOOST_TEST(secondsIn("2d").value() == 172'800);
  BOOST_TEST(linkRateIn("1Gbit").value() == 125e6);
  BOOST_TEST(linkRateIn("2.5Mbit").value() == 312'500);
  BOOST_TEST(memoryIn("4Gi").value() == 4294967296.0);
  BOOST_TEST(moneyIn("12.50USD").value().amount == 12.5);
  BOOST_TEST(moneyIn("12.50USD").value().currency == "USD");
}

BOOST_AUTO_TEST_CASE(what_is_no_amount_is_none) {
  for (const char* const text : {"", "90", "s", "-1s", "0s", "1e9s", "1 s", "1.2.3s", "nans",
                                 "9999999999999999999999s", "1sec"})
    BOOST_TEST(!secondsIn(text).has_value(), text);
  for (const char* const text : {"", "1", "1GB", "Gbit", "-1Gbit"})
    BOOST_TEST(!linkRateIn(text).has_value(), text);
  for (const char* const text : {"", "4", "4GB", "0Gi"})
    BOOST_TEST(!memoryIn(text).has_value(), text);
  for (const char* const text : {"", "12.50", "USD", "12.50$", "12.50usd", "-1USD", "12USDX"})
    BOOST_TEST(!moneyIn(text).has_value(), text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
