#include "exchange/coordinator/change_report.h"

#include <boost/test/unit_test.hpp>

namespace sumac::change_report_test {
namespace {

struct Fixture {
  ChangeReport report;
  TimePoint start{std::chrono::hours(1)};

  /// Of two workers and a server.
  static Roster roster(std::uint32_t generation, Step start_step) {
    Roster roster;
    roster.order = {3, generation};
    roster.start_step = start_step;
    roster.members = {{{{Role::kServer, 0}, 1}, ""},
                      {{{Role::kWorker, 0}, 2}, ""},
                      {{{Role::kWorker, 2}, 3}, ""}};
    return roster;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(change_report, Fixture)

BOOST_AUTO_TEST_CASE(says_once_what_the_roster_is_and_what_it_cost) {
  report.addCause("worker 2 joined");
  report.beginPause(start);
  report.beginPause(start + std::chrono::seconds(1));  // others wait, too
  report.issue(roster(4, 8), /*before=*/5);
  report.addBytes(400);
  report.addBytes(4);
  const auto change = report.finish(start + std::chrono::milliseconds(1500));

  BOOST_TEST_REQUIRE(change.has_value());
  BOOST_TEST(change->term == 3U);
  BOOST_TEST(change->generation == 4U);
  BOOST_TEST(change->step == 8);
  BOOST_TEST(change->workers == 2);
  BOOST_TEST(change->servers == 1);
  BOOST_TEST(change->cause == "worker 2 joined");
  BOOST_TEST(change->redone == 0);
  BOOST_TEST(change->bytes == 404U);
  BOOST_TEST(change->pause_seconds == 1.5);
  BOOST_TEST(!report.finish(start).has_value());
}

BOOST_AUTO_TEST_CASE(changes_that_meet_are_one) {
  report.addCause("a");
  report.beginPause(start);
  report.dropStep();
  report.issue(roster(2, 8), 5);
  report.addBytes(4);
  report.addCause("b");
  BOOST_TEST(report.causes() == "a, b");
  report.beginPause(start + std::chrono::seconds(2));
  report.dropStep();
  report.dropStep();  // told again
  report.issue(roster(3, 6), 8);
  const auto change = report.finish(start + std::chrono::seconds(3));

  BOOST_TEST_REQUIRE(change.has_value());
  BOOST_TEST(change->generation == 3U);
  BOOST_TEST(change->step == 6);
  BOOST_TEST(change->cause == "a, b");
  BOOST_TEST(change->redone == 4);  // a step that was open each time, and steps 7 and 8
  BOOST_TEST(change->bytes == 4U);
  BOOST_TEST(change->pause_seconds == 3.0);
}

BOOST_AUTO_TEST_CASE(one_change_says_nothing_of_another) {
  report.addCause("a");
  report.beginPause(start);
  report.dropStep();
  report.addBytes(4);
  BOOST_TEST(!report.finish(start).has_value());  // no roster yet
  report.issue(roster(2, 8), 8);
  BOOST_TEST(report.finish(start + std::chrono::seconds(1)).has_value());
  report.addCause("b");
  report.issue(roster(3, 9), 8);
  const auto change = report.finish(start + std::chrono::seconds(9));

  BOOST_TEST_REQUIRE(change.has_value());
  BOOST_TEST(change->cause == "b");
  BOOST_TEST(change->redone == 0);
  BOOST_TEST(change->bytes == 0U);
  BOOST_TEST(change->pause_seconds == 0.0);
}

BOOST_AUTO_TEST_CASE(a_first_roster_follows_none) {
  report.issue(roster(1, 8), {});
  BOOST_TEST(report.finish(start).value().redone == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::change_report_test
