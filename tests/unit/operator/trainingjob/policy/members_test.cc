#include "operator/trainingjob/policy/members.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::members_test {
namespace {

struct TalkingJob : JobFixture {
  TalkingJob() {
    record.changes_members = true;
    start();
    events.clear();
  }

  /// Slot 0 tells what it knows, and the operator asks.
  void tell(std::uint32_t term, std::uint32_t generation, int changes) {
    observed.membership =
        MembershipReport{.term = term, .generation = generation, .changes = changes, .last = {}};
    if (changes > 0) {
      observed.membership->last = MembersChanged{.term = term,
                                                 .generation = generation,
                                                 .step = 120,
                                                 .workers = 3,
                                                 .servers = 1,
                                                 .cause = "worker 2 joined",
                                                 .redone = 1,
                                                 .bytes = 246'824,
                                                 .pause_seconds = 0.125};
    }
    settle();
  }

  std::int64_t changes() const { return status().membership.changes; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(membership_status)

BOOST_FIXTURE_TEST_CASE(counts_each_change_with_an_event, TalkingJob) {
  tell(1, 1, 0);
  BOOST_TEST(!hasEvent("MembersChanged"));
  tell(1, 2, 1);
  BOOST_TEST(changes() == 1);
  BOOST_TEST(status().membership.generation == 2);
  tell(1, 2, 1);
  tell(1, 4, 3);
  BOOST_TEST(changes() == 3);
  BOOST_REQUIRE(events.size() == 2U);
  test::checkGolden("operator/policy/members_changed.txt",
                    events[0].message + "\n" + events[1].message + "\n");
}

BOOST_FIXTURE_TEST_CASE(never_goes_down_when_slot_0_begins_again, TalkingJob) {
  tell(1, 3, 2);
  tell(2, 1, 1);
  BOOST_TEST(changes() == 3);
  tell(1, 4, 3);  // an answer from before
  BOOST_TEST(changes() == 3);
  BOOST_TEST(status().membership.term == 2);
  tell(2, 2, 2);
  BOOST_TEST(changes() == 4);
}

BOOST_FIXTURE_TEST_CASE(goes_on_in_the_next_attempt, TalkingJob) {
  tell(3, 3, 2);
  endAll(137);
  observed.membership.reset();
  advance(seconds(400));
  restartFully();
  BOOST_TEST(status().attempt == 1);
  tell(1, 1, 0);
  BOOST_TEST(changes() == 2);
  tell(1, 2, 1);
  BOOST_TEST(changes() == 3);
}

BOOST_FIXTURE_TEST_CASE(writes_no_status_for_the_first_roster_alone, TalkingJob) {
  const int before = status_writes;
  tell(1, 1, 0);
  BOOST_TEST(status_writes == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::members_test
