#include <boost/test/unit_test.hpp>

#include "exchange/wire/suspect.h"
#include "tests/unit/exchange/coordinator/changing_fixture.h"

// Members that live and are lost all the same: others cannot reach them, their trainer hangs, or
// they come and go; and what the coordinator says of a change.

namespace sumac::expelling_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::Commit;
using wire::Header;
using wire::MessageType;

struct Fixture : TrainingFixture {
  static Header suspectIs(Slot suspect) {
    Header header;
    header.type = MessageType::kSuspect;
    wire::setSuspect(header, suspect);
    return header;
  }
  /// That this process alone is lost, and told so, and that the others go on.
  void checkExpelled(Slot slot) const {
    BOOST_TEST(count(slot, MessageType::kAbort) == 1U);
    BOOST_TEST(link.count(MessageType::kAbort) == 1U);
    BOOST_TEST(link.count(MessageType::kCommit) > 0U);
    BOOST_TEST(count(slot, MessageType::kCommit) == 0U);
    BOOST_TEST_REQUIRE(events("lost").size() == 1U);
    BOOST_TEST(events("lost")[0].find(toString(slot)) != std::string::npos);
    BOOST_TEST(ends.empty());
  }
  /// A process of worker 3 that comes, and is lost at once.
  void comeAndGo(Incarnation process) {
    join(kWorker3, process);
    Header goodbye;
    goodbye.type = MessageType::kGoodbye;
    say(kWorker3, goodbye, {}, process);
  }
  void beat(Slot worker, std::uint64_t done, bool works) {
    Header header;
    header.type = MessageType::kHeartbeat;
    header.first = done;
    header.count = works ? 1 : 0;
    say(worker, header);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(expelling, Fixture)

// Suspects

BOOST_AUTO_TEST_CASE(of_a_worker_and_a_server_that_cannot_reach_each_other_the_worker_goes) {
  say(kWorker1, suspectIs(kServer1));
  pass(milliseconds(900));
  BOOST_TEST(link.count(MessageType::kAbort) == 0U);
  pass(milliseconds(100));
  checkExpelled(kWorker1);
  halted(kWorker0, 8);
  halted(kWorker2, 8);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST(rosters.back().workers() == 2);
  BOOST_TEST(rosters.back().servers() == 2);
}

BOOST_AUTO_TEST_CASE(a_server_that_two_workers_cannot_reach_goes) {
  say(kWorker1, suspectIs(kServer1));
  say(kWorker2, suspectIs(kServer1));
  pass(seconds(1));
  checkExpelled(kServer1);
  haltAll(8);
  BOOST_TEST(rosters.back().servers() == 1);
  pass(seconds(2), {kServer1});
  BOOST_TEST(events("lost").size() == 1U);
}

BOOST_AUTO_TEST_CASE(who_cannot_reach_the_coordinators_sums_goes_itself) {
  say(kWorker0, suspectIs(kServer0));
  pass(seconds(1));
  checkExpelled(kWorker0);
}

BOOST_AUTO_TEST_CASE(a_suspicion_of_a_roster_before_is_over) {
  say(kWorker1, suspectIs(kServer1));
  lose(kWorker2);
  halted(kWorker0, 8);
  halted(kWorker1, 8);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  pass(seconds(2), {kWorker2});
  BOOST_TEST(events("lost").size() == 1U);
}

// Nobody needs it any more, so that no roster follows.
BOOST_AUTO_TEST_CASE(who_is_gone_after_its_last_step_is_no_suspect_any_more) {
  weights(kWorker2, 20, /*is_last=*/true);
  say(kWorker1, suspectIs(kWorker2));
  lose(kWorker2);
  pass(seconds(2), {kWorker2});
  BOOST_TEST(events("lost").size() == 1U);
}

BOOST_AUTO_TEST_CASE(suspicions_of_oneself_of_strangers_and_of_nobody_are_ignored_and_counted) {
  Header nobody = suspectIs(kServer1);
  nobody.first = 2;
  const std::uint64_t before = coordinator.ignored();
  say(kWorker1, suspectIs(kWorker1));
  say(kWorker1, suspectIs(kWorker3));
  say(kWorker1, nobody);
  BOOST_TEST(coordinator.ignored() == before + 3);
  say(kServer1, suspectIs(kWorker1));  // servers dial no worker
  BOOST_TEST(coordinator.ignored() == before + 4);
  pass(seconds(2), {kWorker3});
  BOOST_TEST(events("lost").empty());
}

BOOST_AUTO_TEST_CASE(where_members_do_not_change_they_are_ignored_too) {
  CoordinatorFixture fixed(/*servers=*/1);
  Header join;
  join.type = MessageType::kJoin;
  join.value = planHash("");
  for (const Slot slot : {kWorker0, kWorker1})
    fixed.say(slot, firstOf(slot), join, toJson(request()));
  BOOST_TEST_REQUIRE(fixed.rosters.size() == 1U);
  fixed.say(kWorker0, firstOf(kWorker0), suspectIs(kServer0), {});
  BOOST_TEST(fixed.coordinator.ignored() == 1U);
}

// Trainers that hang

BOOST_AUTO_TEST_CASE(a_worker_whose_trainer_hangs_is_lost_alone) {
  for (int i = 0; i <= 200; ++i) {
    beat(kWorker0, 5, /*works=*/false);
    beat(kWorker1, 7, /*works=*/true);
    beat(kWorker2, static_cast<std::uint64_t>(i), /*works=*/true);
    say(kServer1, MessageType::kHeartbeat);
    BOOST_TEST(events("lost").empty());
    coordinator.onTick(now += milliseconds(100));
  }
  checkExpelled(kWorker1);
  halted(kWorker0, 8);
  halted(kWorker2, 8);
  BOOST_TEST(rosters.back().workers() == 2);
}

// Processes that come and go

BOOST_AUTO_TEST_CASE(a_slot_that_was_lost_three_times_is_not_admitted_for_60_s) {
  for (const Incarnation process : {71U, 72U, 73U})
    comeAndGo(process);
  const int admitted = coordinator.admitted();
  join(kWorker3, 74);
  pass(milliseconds(59'900), {kWorker3});
  join(kWorker3, 74);
  BOOST_TEST(coordinator.admitted() == admitted);
  BOOST_TEST(count(kWorker3, MessageType::kAbort) == 0U);
  pass(milliseconds(100), {kWorker3});
  join(kWorker3, 74);
  BOOST_TEST(coordinator.admitted() == admitted + 1);
}

// Its roster may have been lost with the connection before.
BOOST_AUTO_TEST_CASE(a_member_of_such_a_slot_is_answered_on_a_new_connection) {
  comeAndGo(71);
  comeAndGo(72);
  join(kWorker3, 73);
  join(kWorker3, 74);  // the third loss
  pass(kGather, {kWorker3});
  prepared({kWorker0, kWorker1, kWorker2}, 8);
  haltAll(8);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  link.sent.clear();
  join(kWorker3, 74);
  BOOST_TEST(count(kWorker3, MessageType::kRoster) == 1U);
}

// What is said of a change

BOOST_AUTO_TEST_CASE(a_change_is_told_once_all_have_the_state) {
  join(kWorker3);
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 8);
  halted(kWorker0, 8);
  pass(milliseconds(500));
  halted(kWorker1, 8);
  halted(kWorker2, 8);
  BOOST_TEST(events("change").empty());
  pass(seconds(1));
  say(kWorker3, MessageType::kReady, 0, 404);
  say(kWorker3, MessageType::kReady, 0, 404);  // on a new connection
  BOOST_TEST_REQUIRE(events("change").size() == 1U);
  BOOST_TEST(events("change")[0] ==
             R"({"event":"change","term":1,"generation":2,"step":8,"workers":4,"servers":2,)"
             R"("cause":"worker 3 joined","redone":0,"bytes":404,"pauseSeconds":1.5})");
}

BOOST_AUTO_TEST_CASE(a_change_in_which_nobody_lacks_the_state_is_told_with_its_roster) {
  lose(kServer1);
  haltAll(8);
  BOOST_TEST_REQUIRE(events("change").size() == 1U);
  const std::string change = events("change")[0];
  BOOST_TEST(change.find(R"("servers":1,)") != std::string::npos, change);
  BOOST_TEST(change.find(R"("redone":1,)") != std::string::npos, change);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::expelling_test
