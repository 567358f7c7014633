#include "cli/plan/plan_amounts.h"

#include <boost/test/unit_test.hpp>

#include "planner/advice/texts.h"

namespace sumac::cli {

BOOST_AUTO_TEST_SUITE(plan_amounts)

BOOST_AUTO_TEST_CASE(amounts_have_their_units) {
  BOOST_TEST(secondsIn("90s").value() == 90);
  BOOST_TEST(secondsIn("1.5h").value() == 5400);
  BOOST_TEST(secondsIn("2d").value() == 172'800);
  BOOST_TEST(secondsIn("500ms").value() == 0.5);
  BOOST_TEST(secondsIn("12min").value() == 720);
  BOOST_TEST(linkRateIn("1Gbit").value() == 125e6);
  BOOST_TEST(linkRateIn("2.5Mbit").value() == 312'500);
  BOOST_TEST(memoryIn("4Gi").value() == 4294967296.0);
  BOOST_TEST(memoryIn("4G").value() == 4e9);
  BOOST_TEST(memoryIn("512Ki").value() == 524'288);
  BOOST_TEST(moneyIn("12.50USD").value().amount == 12.5);
  BOOST_TEST(moneyIn("12.50USD").value().currency == "USD");
}

BOOST_AUTO_TEST_CASE(what_a_plan_prints_can_be_typed) {
  for (const double seconds : {1.5e-5, 0.187, 42.0, 690.0, 9'000.0, 500'000.0})
    BOOST_TEST(secondsIn(planner::durationText(seconds)).value() == seconds,
               boost::test_tools::tolerance(0.01));
  for (const double rate : {2.5e6, 2.4e9})
    BOOST_TEST(linkRateIn(planner::linkText(rate)).value() == rate,
               boost::test_tools::tolerance(0.01));
  for (const std::int64_t bytes : {600L << 10, 36L << 20, 23L << 30})
    BOOST_TEST(memoryIn(planner::memoryText(bytes)).value() == static_cast<double>(bytes),
               boost::test_tools::tolerance(0.01));
  BOOST_TEST(moneyIn(planner::moneyText(0.059, "EUR")).value().amount == 0.059);
}

BOOST_AUTO_TEST_CASE(rounded_up_an_amount_is_enough_and_can_be_typed) {
  for (const double amount : {0.0592749, 0.06, 2.001, 11.61, 100.0, 697.2, 1234567.0}) {
    const double rounded = roundedUp(amount);
    BOOST_TEST(rounded >= amount);
    BOOST_TEST(rounded <= amount * 1.01);
    BOOST_TEST(moneyIn(plainText(rounded) + "EUR").value().amount == rounded);
  }
  BOOST_TEST(plainText(roundedUp(0.0592749)) == "0.0593");
  BOOST_TEST(plainText(1e-5) == "0.00001");
}

BOOST_AUTO_TEST_CASE(steps_are_whole) {
  BOOST_TEST(wholeSteps(80.7) == 81);
  BOOST_TEST(wholeSteps(360) == 360);
  BOOST_TEST(wholeSteps(360.0 / 0.1 * 0.1) == 360);
  BOOST_TEST(wholeSteps(360.00000000001) == 360);
}

BOOST_AUTO_TEST_CASE(a_noise_scale_is_a_number_above_0) {
  BOOST_TEST(noiseIn("500").value() == 500);
  BOOST_TEST(noiseIn("2.5e6").value() == 2.5e6);
  for (const char* const text : {"", "0", "-1", "nan", "inf", "1e13", "5x", "x"})
    BOOST_TEST(!noiseIn(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(what_is_no_amount_is_none) {
  for (const char* const text : {"", "90", "s", "-1s", "0s", "1e9s", "1  s", "1.2.3s", "nans",
                                 "9999999999999999999999s", "1sec"})
    BOOST_TEST(!secondsIn(text).has_value(), text);
  for (const char* const text : {"", "1", "1GB", "Gbit", "-1Gbit"})
    BOOST_TEST(!linkRateIn(text).has_value(), text);
  for (const char* const text : {"", "4", "4GB", "0Gi", "4Pi"})
    BOOST_TEST(!memoryIn(text).has_value(), text);
  for (const char* const text : {"", "12.50", "USD", "12.50$", "12.50usd", "-1USD", "12USDX"})
    BOOST_TEST(!moneyIn(text).has_value(), text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
