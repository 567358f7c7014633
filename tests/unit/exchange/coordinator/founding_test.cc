#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/coordinator/changing_fixture.h"

// The first roster of a coordinator whose members have followed another one, which is gone, or who
// are fewer than declared (exchange/coordinator/{admission,changing,joining}.cc).

namespace sumac::founding_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::Commit;
using wire::MessageType;

constexpr RosterOrder kBefore{4, 7};

struct Fixture : ChangingFixture {
  explicit Fixture(std::optional<int> least = {}) : ChangingFixture(least) {}

  /// What a member says that has halted in a roster of the process before this one.
  static JoinRequest back(std::optional<Step> done, RosterOrder order = kBefore) {
    JoinRequest request = ChangingFixture::request();
    request.followed = Followed{.order = order,
                                .members = {{kServer0, 50}},
                                .kernels = "baseline",
                                .has_halted = true,
                                .done = done};
    for (const Slot slot : {kServer1, kWorker0, kWorker1, kWorker2})
      request.followed->members.push_back({slot, firstOf(slot)});
    return request;
  }
  /// The same, by a machine with more kernels, of a roster that computed with these.
  static JoinRequest backFromFaster(Step done, RosterOrder order) {
    JoinRequest request = back(done, order);
    request.kernels.emplace_back("avx2");
    request.followed->kernels = "avx2";
    return request;
  }
  /// Another process of worker 2 is there.
  void passWithAnother(Duration time) {
    wire::Header beat;
    beat.type = MessageType::kHeartbeat;
    for (const TimePoint end = now + time; now < end;) {
      say(kWorker2, beat, {}, kAgain);
      pass(milliseconds(100), {kWorker2});
    }
  }
  /// All but worker 2, which wait for it.
  void askAllButOne() {
    ask(kServer1, back({}));
    ask(kWorker0, back(8));
    ask(kWorker1, back(7));
    BOOST_TEST_REQUIRE(rosters.empty());
  }
};

struct FewFixture : Fixture {
  FewFixture() : Fixture(/*least=*/2) {}
};

struct LivingFixture : Fixture {
  LivingFixture() { begin(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(founding, Fixture)

BOOST_AUTO_TEST_CASE(goes_on_from_the_highest_step_done_once_all_have_come_back) {
  askAllButOne();
  pass(seconds(1));
  ask(kWorker2, back(8));

  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  const Roster& roster = rosters.back();
  BOOST_TEST((roster.order == RosterOrder{5, 1}));
  BOOST_TEST(roster.start_step == 8);
  BOOST_TEST((roster.writer == kWorker0));
  BOOST_TEST((roster.sources == std::map<Slot, Slot>{{kWorker1, kWorker2}}));
  BOOST_TEST(roster.workers() == 3);
  BOOST_TEST(roster.servers() == 2);
  BOOST_TEST(roster.find(kServer0)->member.incarnation == 100U);  // not the process before
  BOOST_TEST(rosterFromJson(toJson(roster)).has_value());

  say(kWorker1, MessageType::kReady, 0, 404);
  BOOST_TEST_REQUIRE(events("change").size() == 1U);
  BOOST_TEST(events("change")[0] ==
             R"({"event":"change","term":5,"generation":1,"step":8,"workers":3,"servers":2,)"
             R"("cause":"server 0 was started again","redone":1,"bytes":404,"pauseSeconds":1.0})");
}

BOOST_AUTO_TEST_CASE(waits_3_s_from_the_first_that_has_come_back_for_the_others) {
  ask(kServer1, back({}));
  pass(seconds(1));
  ask(kWorker0, back(8));
  pass(milliseconds(1900));
  BOOST_TEST(rosters.empty());
  pass(milliseconds(100));
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters.back().workers() == 1);
}

BOOST_AUTO_TEST_CASE(does_not_begin_without_a_worker_however_long_that_takes) {
  ask(kServer1, back({}));
  pass(seconds(10));
  BOOST_TEST(rosters.empty());
  ask(kWorker1, back(7));
  BOOST_TEST(rosters.size() == 1U);
}

// It has not the state that the others await of it.
BOOST_AUTO_TEST_CASE(another_process_of_a_slot_is_not_the_one_that_is_awaited) {
  askAllButOne();
  join(kWorker2, kAgain);
  BOOST_TEST(rosters.empty());
  passWithAnother(seconds(3));
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters.back().find(kWorker2)->member.incarnation == kAgain);
  BOOST_TEST(
      (rosters.back().sources == std::map<Slot, Slot>{{kWorker1, kWorker0}, {kWorker2, kWorker1}}));
}

BOOST_AUTO_TEST_CASE(only_the_members_of_the_highest_roster_are_awaited) {
  JoinRequest of_two = back(8);
  std::erase_if(of_two.followed->members, [](const Member& one) { return one.slot == kWorker2; });
  JoinRequest server = of_two;
  server.followed->done.reset();
  ask(kWorker0, back(3, {4, 6}));  // has missed the last roster
  ask(kWorker1, of_two);
  BOOST_TEST(rosters.empty());
  ask(kServer1, server);
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters.back().start_step == 8);
  BOOST_TEST((rosters.back().writer == kWorker0));
  BOOST_TEST((rosters.back().sources == std::map<Slot, Slot>{{kWorker0, kWorker1}}));
}

BOOST_AUTO_TEST_CASE(the_term_is_above_all_that_anyone_has_followed) {
  JoinRequest early = back({}, {9, 2});
  early.followed->has_halted = false;
  ask(kWorker2, early);
  askAllButOne();
  pass(seconds(3));
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST((rosters.back().order == RosterOrder{10, 1}));
}

// So it learns that its coordinator is gone.
BOOST_AUTO_TEST_CASE(who_has_not_halted_yet_is_answered_and_not_admitted) {
  JoinRequest early = back({});
  early.followed->has_halted = false;
  ask(kWorker2, early);
  BOOST_TEST_REQUIRE(link.sent.size() == 1U);
  BOOST_TEST((link.sent[0].header.type == MessageType::kHeartbeat));
  BOOST_TEST(link.answered[0].value() == firstOf(kWorker2));
  BOOST_TEST(coordinator.admitted() == 1);
  ask(kWorker2, back(8));
  BOOST_TEST(coordinator.admitted() == 2);
}

BOOST_AUTO_TEST_CASE(the_kernels_stay_and_who_lacks_them_is_refused_by_name) {
  for (const Slot slot : {kServer1, kWorker0, kWorker1}) {
    JoinRequest request = back(slot == kServer1 ? std::nullopt : std::optional<Step>(8));
    request.kernels = {"baseline", "avx2", "avx512"};
    request.followed->kernels = "avx2";
    ask(slot, request);
  }
  join(kWorker2, kAgain);
  passWithAnother(seconds(3));
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters.back().kernels == "avx2");
  BOOST_TEST(rosters.back().workers() == 2);
  const auto refused = std::ranges::find(link.sent, MessageType::kRefuse,
                                         [](const auto& sent) { return sent.header.type; });
  BOOST_TEST_REQUIRE((refused != link.sent.end()));
  BOOST_TEST((refused->to.slot == kWorker2));
  BOOST_TEST(asText(refused->payload).starts_with("kernels: worker 2 lacks avx2"));
  pass(seconds(4), {kWorker2});
  BOOST_TEST(events("lost").empty());  // it never was a member
}

// They are other bits, although there are more of them.
BOOST_AUTO_TEST_CASE(steps_that_other_kernels_have_done_are_not_gone_on_from) {
  askAllButOne();
  ask(kWorker2, backFromFaster(50, {4, 6}));
  BOOST_TEST(count(kWorker2, MessageType::kAbort) == 1U);
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters.back().kernels == "baseline");
  BOOST_TEST(rosters.back().start_step == 8);
  BOOST_TEST(rosters.back().find(kWorker2) == nullptr);
}

BOOST_AUTO_TEST_CASE(what_was_evaluated_is_kept) {
  JoinRequest knows = back(8);
  knows.followed->evaluated = 6;
  askAllButOne();
  ask(kWorker2, knows);
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters.back().evaluated == 6);
}

BOOST_AUTO_TEST_CASE(where_nobody_has_a_state_the_newest_checkpoint_is_it) {
  JoinRequest worker = back(std::nullopt);
  worker.newest_checkpoint = 4;
  ask(kServer1, back({}));
  for (const Slot slot : {kWorker0, kWorker1, kWorker2})
    ask(slot, worker);
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters.back().start_step == 4);
  BOOST_TEST(
      (rosters.back().sources == std::map<Slot, Slot>{{kWorker1, kWorker0}, {kWorker2, kWorker1}}));
}

BOOST_AUTO_TEST_CASE(a_start_of_all_is_no_change) {
  begin();
  BOOST_TEST((rosters.back().order == RosterOrder{1, 1}));
  BOOST_TEST(events("change").empty());
}

BOOST_AUTO_TEST_CASE(who_leaves_before_it_is_released_alone_and_the_others_wait_on) {
  join(kWorker0);
  join(kWorker1);
  say(kWorker0, MessageType::kLeave);
  BOOST_TEST(count(kWorker0, MessageType::kRelease) == 1U);
  BOOST_TEST(count(kWorker1, MessageType::kRelease) == 0U);
  BOOST_TEST(coordinator.admitted() == 2);
  join(kServer1);
  join(kWorker2);
  join(kWorker0, kAgain);
  BOOST_TEST(rosters.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(begins_with_the_fewest_30_s_after_the_last_has_come, FewFixture) {
  join(kServer1);
  join(kWorker0);
  pass(seconds(40));
  BOOST_TEST(rosters.empty());
  join(kWorker1);
  pass(milliseconds(29'900));
  BOOST_TEST(rosters.empty());
  pass(milliseconds(100));
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST((rosters.back().order == RosterOrder{1, 1}));
  BOOST_TEST(rosters.back().workers() == 2);
  BOOST_TEST(events("change").empty());
}

// Whether there are any, only worker 0 knows, whose node mounts the volume.
BOOST_FIXTURE_TEST_CASE(few_do_not_begin_without_the_one_that_has_the_checkpoints, FewFixture) {
  JoinRequest elsewhere = request();
  elsewhere.lacks_checkpoints = true;
  join(kServer1);
  for (const Slot slot : {kWorker1, kWorker2})
    ask(slot, elsewhere);
  pass(seconds(40));
  BOOST_TEST(rosters.empty());
  JoinRequest first = request();
  first.newest_checkpoint = 5;
  first.volume = RosterOrder();
  ask(kWorker0, first);
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters.back().start_step == 5);
}

BOOST_FIXTURE_TEST_CASE(few_whose_memory_is_too_small_wait_for_another, FewFixture) {
  JoinRequest small = request();
  small.memory_limit = 1;
  small.memory_needs = {{2, 2}};
  join(kServer1);
  ask(kWorker0, small);
  join(kWorker1);
  pass(seconds(40));
  BOOST_TEST(rosters.empty());
  join(kWorker2);
  BOOST_TEST(rosters.size() == 1U);
}

BOOST_AUTO_TEST_CASE(where_all_are_declared_all_are_awaited) {
  join(kServer1);
  join(kWorker0);
  join(kWorker1);
  pass(seconds(60));
  BOOST_TEST(rosters.empty());
}

// Members of a coordinator that lives

BOOST_FIXTURE_TEST_CASE(who_has_lost_the_living_coordinator_and_halted_makes_all_halt,
                        LivingFixture) {
  ask(kWorker1, back(8, rosters.back().order));
  BOOST_TEST(count(kWorker1, MessageType::kRoster) == 1U);
  BOOST_TEST(count(kWorker0, MessageType::kCommit, Commit::kHaltNow) == 1U);
  BOOST_TEST(count(kWorker2, MessageType::kCommit, Commit::kHaltNow) == 1U);
  halted(kWorker0, 7);
  halted(kWorker2, 7);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST((rosters.back().order == RosterOrder{1, 2}));
  BOOST_TEST(rosters.back().start_step == 8);
  BOOST_TEST(rosters.back().sources.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_server_that_has_lost_it_does_so_too, LivingFixture) {
  ask(kServer1, back({}, rosters.back().order));
  BOOST_TEST(isToldToAll(Commit::kHaltNow));
  haltAll(8);
  BOOST_TEST(rosters.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_new_connection_of_one_that_trains_on_stops_nobody, LivingFixture) {
  JoinRequest training = back({}, rosters.back().order);
  training.followed->has_halted = false;
  ask(kWorker1, training);
  ask(kWorker1, back(8, {0, 1}));  // of another roster
  BOOST_TEST(link.count(MessageType::kRoster) == 2U);
  BOOST_TEST(link.count(MessageType::kCommit) == 0U);
}

BOOST_AUTO_TEST_CASE(where_members_do_not_change_nobody_halts_for_one) {
  CoordinatorFixture fixed(/*servers=*/1);
  const auto asks = [&](Slot slot, const JoinRequest& request) {
    wire::Header join;
    join.type = MessageType::kJoin;
    join.value = planHash("");
    fixed.say(slot, firstOf(slot), join, toJson(request));
  };
  for (const Slot slot : {kWorker0, kWorker1})
    asks(slot, request());
  BOOST_TEST_REQUIRE(fixed.rosters.size() == 1U);
  asks(kWorker1, back(8, fixed.rosters.back().order));
  BOOST_TEST(fixed.link.count(MessageType::kCommit) == 0U);
}

// As from a part of the job that another process of slot 0 has led for a while.
BOOST_FIXTURE_TEST_CASE(one_that_has_followed_a_higher_roster_raises_the_next_ones_term,
                        LivingFixture) {
  ask(kWorker3, back(50, {5, 2}));
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 8);
  haltAll(8);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST((rosters.back().order == RosterOrder{6, 1}));
  BOOST_TEST(rosters.back().start_step == 50);
  BOOST_TEST(rosters.back().sources.size() == 3U);
}

// Two coordinators have taken the same number, as neither heard of the other: lanes that members
// have opened by the other's roster are none of this one's.
BOOST_FIXTURE_TEST_CASE(a_term_that_another_coordinator_has_taken_too_ends, LivingFixture) {
  const RosterOrder ours = rosters.back().order;
  ask(kWorker3, back(5, ours));
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 8);
  haltAll(8);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST((rosters.back().order == RosterOrder{ours.term + 1, 1}));
}

// The job has begun again without it, as nobody knew of it: its next process can join.
BOOST_FIXTURE_TEST_CASE(one_that_has_a_state_of_other_kernels_has_to_start_again, LivingFixture) {
  const JoinRequest faster = backFromFaster(50, {5, 2});
  ask(kWorker3, faster);
  BOOST_TEST(count(kWorker3, MessageType::kAbort) == 1U);
  BOOST_TEST(coordinator.admitted() == 5);
  JoinRequest again = request();
  again.kernels = faster.kernels;
  ask(kWorker3, again, kAgain);
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 8);
  haltAll(8);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST((rosters.back().order == RosterOrder{6, 1}));
  BOOST_TEST(rosters.back().kernels == "baseline");
  BOOST_TEST(rosters.back().start_step == 8);
  BOOST_TEST(rosters.back().sources.contains(kWorker3));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::founding_test
