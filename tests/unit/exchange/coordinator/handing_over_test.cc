#include <boost/test/unit_test.hpp>

#include "base/core/stop_times.h"
#include "tests/unit/exchange/coordinator/changing_fixture.h"

// Slot 0 alone is asked to stop: the others wait for another process of it
// (exchange/coordinator/handing_over.cc).

namespace sumac::handing_over_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::Commit;
using wire::MessageType;

/// All workers have stopped after step 8, as slot 0 was asked to.
struct Fixture : TrainingFixture {
  explicit Fixture(const std::vector<Slot>& leaving = {}) {
    coordinator.requestStop(kServer0);
    for (const Slot slot : leaving)
      say(slot, MessageType::kLeave);
    prepared({kWorker0, kWorker1, kWorker2}, 8);
    for (const Slot worker : {kWorker0, kWorker1, kWorker2})
      stopped(worker, 8);
  }
  void checkEnd() const {
    BOOST_TEST_REQUIRE(ends.size() == 1U);
    BOOST_TEST(toInt(ends[0].first) == toInt(ExitCode::kStopped));
  }
};

struct OneLeaves : Fixture {
  OneLeaves() : Fixture({kWorker2}) {}
};

struct AllLeave : Fixture {
  AllLeave() : Fixture({kServer1, kWorker0, kWorker1, kWorker2}) {}
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(handing_over, Fixture)

BOOST_AUTO_TEST_CASE(tells_the_others_to_halt_and_ends_once_they_have) {
  BOOST_TEST(count(kWorker0, MessageType::kCommit, Commit::kHaltNow) == 0U);
  pass(kGather);
  BOOST_TEST(isToldToAll(Commit::kHaltNow));
  for (const Slot worker : {kWorker0, kWorker1}) {
    halted(worker, 8);
    BOOST_TEST(ends.empty());
  }
  halted(kWorker2, 8);
  checkEnd();
  BOOST_TEST(ends[0].second.starts_with("server 0 "), ends[0].second);
  BOOST_TEST(link.count(MessageType::kRelease) == 0U);
  BOOST_TEST(rosters.size() == 1U);
}

BOOST_AUTO_TEST_CASE(ends_12_s_after_the_request_where_one_does_not_halt) {
  pass(kGather);
  halted(kWorker0, 8);
  halted(kWorker1, 8);
  pass(StopTimes::kRelease - kGather - milliseconds(100));
  BOOST_TEST(ends.empty());
  pass(milliseconds(100));
  checkEnd();
  BOOST_TEST(link.count(MessageType::kRelease) == 0U);
}

BOOST_AUTO_TEST_CASE(does_not_wait_for_one_that_is_lost_meanwhile) {
  pass(kGather);
  halted(kWorker0, 8);
  lose(kWorker1);
  BOOST_TEST(ends.empty());
  halted(kWorker2, 8);
  checkEnd();
}

BOOST_AUTO_TEST_CASE(who_asks_to_join_meanwhile_gets_its_answer_of_the_next_one) {
  pass(kGather);
  link.sent.clear();
  join(kWorker1, kAgain);
  join(kWorker3);
  BOOST_TEST(link.sent.empty());
  join(kWorker0);  // it may have missed what it was told
  BOOST_TEST(link.sent.size() == 1U);
  BOOST_TEST(count(kWorker0, MessageType::kCommit, Commit::kHaltNow) == 1U);
  BOOST_TEST(coordinator.admitted() == 5);
}

BOOST_FIXTURE_TEST_CASE(who_has_joined_and_is_in_no_roster_yet_has_nothing_to_halt,
                        TrainingFixture) {
  join(kWorker3);
  coordinator.requestStop(kServer0);
  prepared({kWorker0, kWorker1, kWorker2}, 8);
  for (const Slot worker : {kWorker0, kWorker1, kWorker2})
    stopped(worker, 8);
  pass(kGather);
  haltAll(8);
  BOOST_TEST(ends.size() == 1U);
}

BOOST_AUTO_TEST_CASE(who_leaves_meanwhile_is_released_at_once) {
  pass(kGather);
  say(kWorker1, MessageType::kLeave);
  BOOST_TEST(count(kWorker1, MessageType::kRelease) == 1U);
  BOOST_TEST(ends.empty());
  halted(kWorker0, 8);
  halted(kWorker2, 8);
  checkEnd();
}

BOOST_FIXTURE_TEST_CASE(who_has_left_before_is_released_and_the_others_halt, OneLeaves) {
  pass(kGather);
  BOOST_TEST(count(kWorker0, MessageType::kCommit, Commit::kHaltNow) == 1U);
  BOOST_TEST(count(kWorker2, MessageType::kCommit, Commit::kHaltNow) == 0U);
  halted(kWorker0, 8);
  halted(kWorker1, 8);
  BOOST_TEST(link.count(MessageType::kRelease) == 1U);
  BOOST_TEST(count(kWorker2, MessageType::kRelease) == 1U);
  BOOST_TEST(ends.empty());
  lose(kWorker2);
  checkEnd();
}

BOOST_FIXTURE_TEST_CASE(where_all_leave_it_is_a_stop_as_without_changes, AllLeave) {
  BOOST_TEST(link.count(MessageType::kRelease) == 4U);
  for (const Slot slot : {kServer1, kWorker0, kWorker1, kWorker2})
    lose(slot);
  checkEnd();
  BOOST_TEST(ends[0].second.find(';') == std::string::npos, ends[0].second);  // nobody waits
  pass(seconds(1));
  BOOST_TEST(link.count(MessageType::kCommit) == 3U);  // nobody has to halt
}

BOOST_FIXTURE_TEST_CASE(before_the_first_roster_nobody_has_anything_to_halt, ChangingFixture) {
  join(kServer1);
  join(kWorker0);
  coordinator.requestStop(kServer0);
  BOOST_TEST(ends.empty());
  pass(kGather);
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == toInt(ExitCode::kStopped));
  BOOST_TEST(link.count(MessageType::kRelease) == 0U);
  BOOST_TEST(link.count(MessageType::kCommit) == 0U);
}

BOOST_FIXTURE_TEST_CASE(who_joins_last_while_it_is_asked_to_stop_begins_nothing, ChangingFixture) {
  for (const Slot slot : {kServer1, kWorker0, kWorker1})
    join(slot);
  coordinator.requestStop(kServer0);
  join(kWorker2);
  BOOST_TEST(rosters.empty());
  pass(kGather);
  BOOST_TEST(ends.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::handing_over_test
