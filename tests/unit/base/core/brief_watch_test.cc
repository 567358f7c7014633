#include "base/core/brief_watch.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/manual_clock.h"

namespace sumac::brief_watch_test {
namespace {

using std::chrono::microseconds;

constexpr Duration kMost = microseconds(300);

/// Looks at a clock that each look moves.
struct Fixture {
  /// Looks until it was asked `there` times; how often it was asked.
  int looks(int there, Duration each) {
    int asked = 0;
    has_come = watch.watch([&] {
      clock.advance(each);
      return ++asked == there;
    });
    return asked;
  }

  ManualClock clock;
  BriefWatch watch{clock, kMost};
  bool has_come = false;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(brief_watch, Fixture)

BOOST_AUTO_TEST_CASE(looks_until_it_has_come) {
  BOOST_TEST(looks(1, microseconds(10)) == 1);
  BOOST_TEST(has_come);
  BOOST_TEST(looks(7, microseconds(10)) == 7);
  BOOST_TEST(has_come);
}

BOOST_AUTO_TEST_CASE(gives_up_after_its_time) {
  BOOST_TEST(looks(1000, microseconds(10)) == 30);
  BOOST_TEST(!has_come);
  BOOST_TEST(looks(2, microseconds(10)) == 2);
  BOOST_TEST(has_come);
}

BOOST_AUTO_TEST_CASE(leaves_the_core_for_some_calls_to_those_who_compute_on_it) {
  BOOST_TEST(looks(1000, BriefWatch::kKept + microseconds(1)) == 1);
  BOOST_TEST(!has_come);
  for (int call = 0; call < BriefWatch::kCallsLeftOut; ++call)
    BOOST_TEST(looks(1, microseconds(10)) == 0);
  BOOST_TEST(looks(1, microseconds(10)) == 1);
  BOOST_TEST(has_come);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::brief_watch_test
