#include "cli/plan/plan_amounts.h"

#include <boost/test/unit_test.hpp>

#include "planner/report/sentences.h"

namespace sumac::cli {

BOOST_AUTO_TEST_SUITE(plan_amounts)

BOOST_AUTO_TEST_CASE(money_has_its_currency_as_a_plan_prints_it_too) {
  BOOST_TEST(moneyIn("12.50USD").value().amount == 12.5);
  BOOST_TEST(moneyIn("12.50USD").value().currency == "USD");
  BOOST_TEST(moneyIn(planner::moneyText(0.059, "EUR")).value().amount == 0.059);
  for (const char* const text :
       {"", "12.50", "USD", "US", "12.50$", "12.50usd", "-1USD", "0USD", "12USDX"})
    BOOST_TEST(!moneyIn(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(a_noise_scale_is_a_number_above_0) {
  BOOST_TEST(noiseIn("500").value() == 500);
  BOOST_TEST(noiseIn("2.5e6").value() == 2.5e6);
  for (const char* const text : {"", "0", "-1", "nan", "inf", "1e13", "5x", "x"})
    BOOST_TEST(!noiseIn(text).has_value(), text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
