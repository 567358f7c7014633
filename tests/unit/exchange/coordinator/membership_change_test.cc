#include "exchange/coordinator/membership_change.h"

#include <ostream>
#include <string>
#include <vector>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac {

std::ostream& operator<<(std::ostream& out, const ChangeOrder& order) {
  constexpr const char* kKinds[] = {"nothing", "prepare", "halt after", "halt now", "issue"};
  return out << kKinds[static_cast<std::size_t>(order.kind)] << ' ' << order.step;
}

namespace membership_change_test {
namespace {

using Kind = ChangeOrder::Kind;

constexpr Slot kServer{Role::kServer, 0};
constexpr Slot kWorker0{Role::kWorker, 0};
constexpr Slot kWorker1{Role::kWorker, 1};
constexpr Slot kWorker2{Role::kWorker, 2};
constexpr Duration kMoment = std::chrono::nanoseconds(1);

struct Fixture {
  MembershipChange change{{kWorker0, kWorker1, kWorker2}};
  TimePoint now{std::chrono::hours(1)};

  void gather() {
    change.plan(now);
    now += MembershipChange::kGather;
  }
  void vote() {
    gather();
    BOOST_TEST(change.tick(now) == ChangeOrder{Kind::kPrepare});
  }
  /// The workers finish step 7.
  void commit() {
    vote();
    for (const Slot worker : {kWorker0, kWorker1})
      BOOST_TEST(change.prepared(worker, 7) == ChangeOrder{});
    BOOST_TEST(change.prepared(kWorker2, 6) == (ChangeOrder{Kind::kHaltAfter, 7}));
  }
  /// As far as `phase` says; what a worker that joins again is told then.
  ChangeOrder reach(const std::string& phase) {
    if (phase == "gathering") change.plan(now);
    if (phase == "voting") vote();
    if (phase == "finishing") commit();
    if (phase == "halting") BOOST_TEST(change.halt() == ChangeOrder{Kind::kHaltNow});
    return change.current();
  }
};

constexpr const char* kPhases[] = {"nothing", "gathering", "voting", "finishing"};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(membership_change, Fixture)

BOOST_AUTO_TEST_CASE(a_planned_one_gathers_votes_finishes_the_highest_step_and_halts) {
  BOOST_TEST(change.tick(now + std::chrono::hours(1)) == ChangeOrder{});
  change.plan(now);
  now += MembershipChange::kGather - kMoment;
  change.plan(now);  // who comes along delays nothing
  BOOST_TEST(change.tick(now) == ChangeOrder{});
  BOOST_TEST(!change.isUnderWay());
  BOOST_TEST(change.tick(now += kMoment) == ChangeOrder{Kind::kPrepare});
  BOOST_TEST(change.isUnderWay());

  BOOST_TEST(change.prepared(kWorker0, 5) == ChangeOrder{});
  BOOST_TEST(change.prepared(kWorker1, 7) == ChangeOrder{});
  BOOST_TEST(change.prepared(kWorker0, 6) == ChangeOrder{});  // again, on a new connection
  BOOST_TEST(change.prepared(kWorker2, 6) == (ChangeOrder{Kind::kHaltAfter, 7}));

  BOOST_TEST(change.halted(kWorker0, 7) == ChangeOrder{});
  BOOST_TEST(change.halted(kWorker0, 7) == ChangeOrder{});
  BOOST_TEST(change.halted(kWorker1, std::nullopt) == ChangeOrder{});
  BOOST_TEST(change.halted(kWorker2, 7) == ChangeOrder{Kind::kIssue});
  BOOST_TEST(change.halted().size() == 3U);
  BOOST_TEST(!change.halted().at(kWorker1).has_value());
  BOOST_TEST(change.halted().at(kWorker2).value() == 7);
}

BOOST_AUTO_TEST_CASE(what_a_worker_may_have_missed_is_as_the_phase_says) {
  for (const auto& [phase, told] : {std::pair("nothing", ChangeOrder{}),
                                    {"gathering", ChangeOrder{}},
                                    {"voting", ChangeOrder{Kind::kPrepare}},
                                    {"finishing", ChangeOrder{Kind::kHaltAfter, 7}},
                                    {"halting", ChangeOrder{Kind::kHaltNow}}}) {
    Fixture fixture;
    BOOST_TEST(fixture.reach(phase) == told, phase);
  }
}

BOOST_DATA_TEST_CASE_F(Fixture, whoever_is_lost_the_others_halt_where_they_are,
                       boost::unit_test::data::make(kPhases), phase) {
  reach(phase);
  BOOST_TEST(change.lost(kWorker1) == ChangeOrder{Kind::kHaltNow});
  BOOST_TEST(change.lost(kServer) == ChangeOrder{});  // they halt already
  BOOST_TEST(change.halt() == ChangeOrder{});
  BOOST_TEST(change.tick(now + std::chrono::hours(1)) == ChangeOrder{});
  BOOST_TEST(change.prepared(kWorker0, 9) == ChangeOrder{});
  BOOST_TEST(change.halted(kWorker1, 6) == ChangeOrder{});  // a late word
  BOOST_TEST(change.halted(kWorker0, 6) == ChangeOrder{});
  BOOST_TEST(change.halted(kWorker2, 7) == ChangeOrder{Kind::kIssue});
  BOOST_TEST(!change.halted().contains(kWorker1));
}

BOOST_AUTO_TEST_CASE(nobody_waits_for_one_that_is_lost_where_all_others_have_halted) {
  commit();
  for (const Slot worker : {kWorker0, kWorker1})
    change.halted(worker, 7);
  BOOST_TEST(change.lost(kWorker2) == ChangeOrder{Kind::kIssue});

  Fixture where_they_are;
  MembershipChange& other = where_they_are.change;
  where_they_are.reach("halting");
  for (const Slot worker : {kWorker0, kWorker1})
    other.halted(worker, 7);
  BOOST_TEST(other.lost(kWorker2) == ChangeOrder{Kind::kIssue});
  BOOST_TEST(other.lost(kWorker1) == ChangeOrder{Kind::kIssue});
  BOOST_TEST(other.lost(kWorker0) == ChangeOrder{});  // then nobody is there to go on
}

BOOST_AUTO_TEST_CASE(a_step_that_is_not_done_in_time_is_given_up) {
  for (const char* const phase : {"voting", "finishing"}) {
    Fixture fixture;
    fixture.reach(phase);
    const TimePoint end = fixture.now + MembershipChange::kPatience;
    BOOST_TEST(fixture.change.tick(end - kMoment) == ChangeOrder{}, phase);
    BOOST_TEST(fixture.change.tick(end) == ChangeOrder{Kind::kHaltNow}, phase);
    BOOST_TEST(fixture.change.tick(end) == ChangeOrder{}, phase);
  }
}

BOOST_AUTO_TEST_CASE(a_worker_that_nobody_needs_is_not_awaited) {
  change.forget(kWorker2);
  vote();
  BOOST_TEST(change.prepared(kWorker2, 9) == ChangeOrder{});
  change.prepared(kWorker0, 4);
  BOOST_TEST(change.prepared(kWorker1, 4) == (ChangeOrder{Kind::kHaltAfter, 4}));
  change.halted(kWorker0, 4);
  BOOST_TEST(change.halted(kWorker1, 4) == ChangeOrder{Kind::kIssue});
}

BOOST_AUTO_TEST_CASE(one_that_nobody_needs_any_more_may_be_the_last_that_was_awaited) {
  vote();
  change.prepared(kWorker0, 4);
  change.prepared(kWorker2, 5);
  BOOST_TEST(change.forget(kWorker2) == ChangeOrder{});  // nor does its vote count
  BOOST_TEST(change.prepared(kWorker1, 4) == (ChangeOrder{Kind::kHaltAfter, 4}));
  change.halted(kWorker0, 4);
  BOOST_TEST(change.forget(kWorker1) == ChangeOrder{Kind::kIssue});
}

BOOST_AUTO_TEST_CASE(a_plan_is_dropped_only_before_anybody_was_told) {
  gather();
  change.dropPlan();
  BOOST_TEST(change.tick(now) == ChangeOrder{});
  vote();
  change.dropPlan();
  BOOST_TEST(change.current() == ChangeOrder{Kind::kPrepare});
}

BOOST_AUTO_TEST_CASE(what_nobody_asked_for_changes_nothing) {
  BOOST_TEST(change.prepared(kWorker0, 4) == ChangeOrder{});
  BOOST_TEST(change.halted(kWorker0, 4) == ChangeOrder{});
  vote();
  BOOST_TEST(change.halted(kWorker0, 4) == ChangeOrder{});
  BOOST_TEST(change.prepared({Role::kWorker, 7}, 4) == ChangeOrder{});
  BOOST_TEST(change.halted().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace membership_change_test
}  // namespace sumac
