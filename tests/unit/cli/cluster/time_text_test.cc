#include "cli/cluster/time_text.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::time_text_test {

BOOST_AUTO_TEST_SUITE(time_text)

BOOST_AUTO_TEST_CASE(shows_as_much_of_a_duration_as_kubectl) {
  const std::pair<long, const char*> cases[] = {
      {-5, "0s"},     {0, "0s"},        {119, "119s"},  {120, "2m"},
      {200, "3m20s"}, {599, "9m59s"},   {600, "10m"},   {10799, "179m"},
      {10800, "3h"},  {18720, "5h12m"}, {28800, "8h"},  {172799, "47h"},
      {172800, "2d"}, {273600, "3d4h"}, {691200, "8d"}, {31536000, "365d"}};

  for (const auto& [seconds, text] : cases)
    BOOST_TEST(durationText(std::chrono::seconds(seconds)) == text);
}

BOOST_AUTO_TEST_CASE(tells_the_age_of_what_has_one) {
  BOOST_TEST(ageText(at("12:00:00"), at("12:00:45")) == "45s");
  BOOST_TEST(ageText(std::nullopt, at("12:00:00")) == "<unknown>");
}

BOOST_AUTO_TEST_CASE(reads_durations) {
  const std::pair<const char*, long> cases[] = {
      {"90s", 90}, {"5m", 300}, {"2h", 7200}, {"1d", 86400}, {"1h30m", 5400}};

  for (const auto& [text, seconds] : cases)
    BOOST_TEST(durationFrom(text).value_or(std::chrono::seconds(-1)).count() == seconds);
}

BOOST_DATA_TEST_CASE(refuses_what_is_no_duration,
                     boost::unit_test::data::make({"", "s", "5", "0", "0s", "-5s", "5x", "1h30",
                                                   "1.5h", " 5s", "99999999999999999999s",
                                                   "400000d"}),
                     text) {
  BOOST_TEST(!durationFrom(text).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::time_text_test
