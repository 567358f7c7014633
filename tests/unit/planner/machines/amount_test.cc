#include "planner/machines/amount.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/units.h"
#include "planner/report/sentences.h"
#include "tests/support/refusals.h"

namespace sumac::planner::machines_test {
namespace {

/// What is wrong with an amount; empty: nothing.
std::string problemOf(Dimension dimension, std::string_view text) {
  const auto amount = amountIn(dimension, text);
  return amount ? "" : amount.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(amounts)

BOOST_AUTO_TEST_CASE(amounts_have_their_units) {
  BOOST_TEST(amountIn(Dimension::kDuration, "90s").value() == 90);
  BOOST_TEST(amountIn(Dimension::kDuration, "1.5h").value() == 5400);
  BOOST_TEST(amountIn(Dimension::kDuration, "2d").value() == 172'800);
  BOOST_TEST(amountIn(Dimension::kDuration, "500ms").value() == 0.5);
  BOOST_TEST(amountIn(Dimension::kDuration, "12min").value() == 720);
  BOOST_TEST(amountIn(Dimension::kLink, "1Gbit").value() == 125e6);
  BOOST_TEST(amountIn(Dimension::kLink, "2.5Mbit").value() == 312'500);
  BOOST_TEST(amountIn(Dimension::kMemory, "4Gi").value() == 4294967296.0);
  BOOST_TEST(amountIn(Dimension::kMemory, "4G").value() == 4e9);
  BOOST_TEST(amountIn(Dimension::kMemory, "20480Ki").value() == 20'971'520);
}

BOOST_AUTO_TEST_CASE(what_a_plan_prints_can_be_typed) {
  for (const double seconds : {1.5e-5, 0.187, 42.0, 690.0, 9'000.0, 500'000.0})
    BOOST_TEST(amountIn(Dimension::kDuration, durationText(seconds)).value() == seconds,
               boost::test_tools::tolerance(0.01));
  for (const double rate : {2.5e6, 2.4e9})
    BOOST_TEST(amountIn(Dimension::kLink, linkText(rate)).value() == rate,
               boost::test_tools::tolerance(0.01));
  for (const std::uint64_t bytes : {36UL << 20, 23UL << 30})
    BOOST_TEST(amountIn(Dimension::kMemory, bytesText(bytes)).value() == static_cast<double>(bytes),
               boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(what_is_no_amount_is_refused_with_an_example) {
  test::Refusals refusals;
  for (const char* const text : {"", "90", "s", "-1s", "1e9s", "1  s", "1.2.3s", "1.s", ".5s",
                                 "nans", "9999999999999999999999s", "1sec"})
    refusals.add("\"" + std::string(text) + "\"", amountIn(Dimension::kDuration, text),
                 "\"" + std::string(text) + "\"");
  refusals.compareWith("planner/machines/amount.txt");
  for (const char* const text : {"", "1", "1GB", "Gbit", "-1Gbit"})
    BOOST_TEST(!amountIn(Dimension::kLink, text).has_value(), text);
  for (const char* const text : {"", "4", "4GB", "4Pi"})
    BOOST_TEST(!amountIn(Dimension::kMemory, text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(what_no_machine_has_is_refused_with_the_range) {
  BOOST_TEST(problemOf(Dimension::kMemory, "99999999999Ti") ==
             "found 99999999999Ti, must be >= 16Mi, <= 64Ti");
  BOOST_TEST(problemOf(Dimension::kMemory, "0Gi") == "found 0Gi, must be >= 16Mi, <= 64Ti");
  BOOST_TEST(problemOf(Dimension::kLink, "101Tbit") ==
             "found 101Tbit, must be >= 1Mbit, <= 100Tbit");
  BOOST_TEST(problemOf(Dimension::kLink, "0.5Mbit") ==
             "found 0.5Mbit, must be >= 1Mbit, <= 100Tbit");
  BOOST_TEST(problemOf(Dimension::kDuration, "40000d") ==
             "found 40000d, must be >= 1us, <= 36500d");
}

BOOST_AUTO_TEST_CASE(bounds_can_be_given_and_fit_their_pattern) {
  for (const Dimension dimension : kDimensions) {
    const auto [least, most] = rangeOf(dimension);
    for (const std::string_view bound : {least, most}) {
      BOOST_TEST(problemOf(dimension, bound) == "");
      BOOST_TEST(patternOf(dimension).matches(bound));
    }
  }
  BOOST_TEST(patternOf(Dimension::kBandwidth).expression ==
             R"(^[0-9]{1,20}(\.[0-9]{1,20})? ?(MB/s|GB/s|TB/s)$)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::machines_test
