#include "base/core/wall_time.h"

#include <boost/test/unit_test.hpp>

namespace sumac::wall_time_test {
namespace {

BOOST_AUTO_TEST_SUITE(wall_time)

constexpr WallTime kNoon{std::chrono::microseconds(1'769'860'800'000'000)};

BOOST_AUTO_TEST_CASE(times_are_written_as_kubernetes_reads_them) {
  BOOST_TEST(toRfc3339(kNoon) == "2026-01-31T12:00:00Z");
  BOOST_TEST(toRfc3339Micro(kNoon) == "2026-01-31T12:00:00.000000Z");
  BOOST_TEST(toRfc3339Micro(kNoon + std::chrono::microseconds(1'000'042)) ==
             "2026-01-31T12:00:01.000042Z");
}

BOOST_AUTO_TEST_CASE(both_forms_fractions_and_offsets_are_read) {
  for (const char* text : {"2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000000Z",
                           "2026-01-31T14:00:00+02:00", "2026-01-31T06:30:00.0-05:30"}) {
    BOOST_TEST_CONTEXT(text) {
      const auto time = parseRfc3339(text);
      BOOST_TEST_REQUIRE(time.has_value());
      BOOST_TEST((*time == kNoon));
    }
  }
  const auto fine = parseRfc3339("2026-01-31T12:00:00.1234567Z");
  BOOST_TEST_REQUIRE(fine.has_value());
  BOOST_TEST((*fine == kNoon + std::chrono::microseconds(123'456)));
}

BOOST_AUTO_TEST_CASE(what_is_no_time_is_refused) {
  for (const char* text :
       {"", "now", "2026-01-31", "2026-02-30T12:00:00Z", "2026-01-31T24:00:00Z",
        "2026-01-31T12:60:00Z", "2026-01-31T12:00:00", "2026-01-31T12:00:00.Z",
        "2026-01-31T12:00:00Zx", "2026-01-31T12:00:00+2:00", "2026-01-31T12:00:00+24:00",
        "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01"}) {
    BOOST_TEST_CONTEXT(text) BOOST_TEST(!parseRfc3339(text).has_value());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::wall_time_test
