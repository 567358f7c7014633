#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/coordinator/changing_fixture.h"

// Members that come, go and are lost while a job trains on (exchange/coordinator/changing.cc).

namespace sumac::changing_test {
namespace {

using wire::Commit;
using wire::Finished;
using wire::Header;
using wire::MessageType;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(changing, TrainingFixture)

BOOST_AUTO_TEST_CASE(a_worker_that_joins_is_in_the_roster_after_the_highest_step_begun) {
  join(kWorker3);
  BOOST_TEST(link.sent.empty());
  pass(kGather);
  BOOST_TEST(count(kWorker3, MessageType::kPrepare) == 0U);
  BOOST_TEST(link.count(MessageType::kPrepare) == 3U);
  prepared({kWorker0, kWorker1}, 7);
  prepared({kWorker2}, 8);
  BOOST_TEST(isToldToAll(Commit::kHaltAfter));
  BOOST_TEST(link.sent.back().header.step == 8);
  haltAll(8);

  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  const Roster& roster = rosters.back();
  BOOST_TEST((roster.order == RosterOrder{1, 2}));
  BOOST_TEST(roster.start_step == 8);
  BOOST_TEST(roster.workers() == 4);
  BOOST_TEST((roster.writer == kWorker0));
  BOOST_TEST((roster.sources == std::map<Slot, Slot>{{kWorker3, kWorker1}}));
  BOOST_TEST(link.count(MessageType::kRoster) == 5U);
  BOOST_TEST(progress.back().find("\"cause\":\"worker 3 joined\"") != std::string::npos);
}

// Of all that have the state each sends it once, the writer last; then along chains.
BOOST_AUTO_TEST_CASE(many_that_join_at_once_are_one_change) {
  for (int i = 3; i < 6; ++i)
    join({Role::kWorker, i});
  join({Role::kServer, 2});
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 7);
  halted(kWorker0, 7);
  halted(kWorker1, std::nullopt);
  halted(kWorker2, 7);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  const Roster& roster = rosters.back();
  BOOST_TEST(roster.workers() == 6);
  BOOST_TEST(roster.servers() == 3);
  BOOST_TEST((roster.sources == std::map<Slot, Slot>{{kWorker1, kWorker2},
                                                     {kWorker3, kWorker0},
                                                     {{Role::kWorker, 4}, kWorker1},
                                                     {{Role::kWorker, 5}, kWorker3}}));
  BOOST_TEST(rosterFromJson(toJson(roster)).has_value());
}

BOOST_AUTO_TEST_CASE(after_a_loss_all_go_on_from_the_highest_step_that_is_done) {
  pass(std::chrono::milliseconds(3100), {kWorker1});
  BOOST_TEST(count(kWorker0, MessageType::kCommit, Commit::kHaltNow) == 1U);
  BOOST_TEST(count(kWorker1, MessageType::kCommit) == 0U);
  halted(kWorker0, 7);
  halted(kWorker2, 8);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST(rosters.back().start_step == 8);
  BOOST_TEST(rosters.back().workers() == 2);
  BOOST_TEST((rosters.back().sources == std::map<Slot, Slot>{{kWorker0, kWorker2}}));
  BOOST_TEST(abort() == "");

  lose(kServer1);
  halted(kWorker0, 8);
  halted(kWorker2, 8);
  BOOST_TEST_REQUIRE(rosters.size() == 3U);
  BOOST_TEST(rosters.back().servers() == 1);
}

// It comes again on a new connection, and this worker has not heard of the roster after it.
BOOST_AUTO_TEST_CASE(what_a_worker_said_of_a_roster_before_counts_for_nothing) {
  lose(kWorker1);
  for (const Slot worker : {kWorker0, kWorker2})
    halted(worker, 4);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  lose(kServer1);
  halted(kWorker0, 5);
  Header late;
  late.type = MessageType::kFinished;
  late.value = static_cast<std::uint64_t>(Finished::kHalted);
  late.step = 4;
  late.term = rosters[0].order.term;
  late.generation = rosters[0].order.generation;
  say(kWorker2, late);
  BOOST_TEST(rosters.size() == 2U);
  halted(kWorker2, 5);
  BOOST_TEST(rosters.size() == 3U);
}

BOOST_AUTO_TEST_CASE(where_nobody_has_a_state_the_newest_checkpoint_is_it) {
  weights(kWorker0, 4, false);
  weights(kWorker1, 4, false);
  weights(kWorker2, 4, false);
  say(kWorker0, MessageType::kCheckpointed, 4);
  lose(kWorker0);
  halted(kWorker1, std::nullopt);
  halted(kWorker2, std::nullopt);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  const Roster& roster = rosters.back();
  BOOST_TEST(roster.start_step == 4);
  BOOST_TEST((roster.writer == kWorker1));
  BOOST_TEST((roster.sources == std::map<Slot, Slot>{{kWorker2, kWorker1}}));
}

// Who wrote for another coordinator has completed it after these workers had looked.
BOOST_AUTO_TEST_CASE(all_go_on_from_a_newer_checkpoint_that_the_writer_finds) {
  found(kWorker0, 6);
  BOOST_TEST(isToldToAll(Commit::kHaltNow));
  found(kWorker0, 6);  // as a new connection says it again
  BOOST_TEST(count(kWorker1, MessageType::kCommit) == 1U);
  haltAll(1);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  const Roster& roster = rosters.back();
  BOOST_TEST(roster.start_step == 6);
  BOOST_TEST((roster.writer == kWorker0));
  BOOST_TEST((roster.sources == std::map<Slot, Slot>{{kWorker1, kWorker0}, {kWorker2, kWorker1}}));
  BOOST_TEST(progress.back().find(R"("cause":"worker 0 )") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_state_beyond_the_checkpoint_that_the_writer_finds_stays) {
  found(kWorker0, 6);
  haltAll(7);
  BOOST_TEST(rosters.back().start_step == 7);
}

BOOST_AUTO_TEST_CASE(only_the_writer_finds_checkpoints_and_none_that_the_job_cannot_have) {
  found(kWorker1, 6);
  found(kWorker0, 0);
  found(kWorker0, kSteps + 1);
  BOOST_TEST(link.count(MessageType::kCommit) == 0U);
  found(kWorker0, kSteps);
  BOOST_TEST(isToldToAll(Commit::kHaltNow));
}

BOOST_AUTO_TEST_CASE(what_the_writer_found_under_a_roster_before_counts_for_nothing) {
  lose(kWorker1);
  for (const Slot worker : {kWorker0, kWorker2})
    halted(worker, 4);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  Header late;
  late.type = MessageType::kCheckpointed;
  late.value = static_cast<std::uint64_t>(wire::Checkpointed::kFound);
  late.step = 6;
  late.term = rosters[0].order.term;
  late.generation = rosters[0].order.generation;
  say(kWorker0, late);
  BOOST_TEST(count(kWorker2, MessageType::kCommit, Commit::kHaltNow) == 1U);
  found(kWorker0, 6);
  BOOST_TEST(count(kWorker2, MessageType::kCommit, Commit::kHaltNow) == 2U);
}

BOOST_AUTO_TEST_CASE(in_a_stop_no_newer_checkpoint_makes_a_change) {
  coordinator.requestStop(kServer0);
  found(kWorker0, 6);
  BOOST_TEST(count(kWorker1, MessageType::kCommit, Commit::kHaltNow) == 0U);
}

BOOST_AUTO_TEST_CASE(the_writer_stays_who_it_is_and_the_roster_says_what_was_evaluated) {
  Header line;
  line.type = MessageType::kProgress;
  say(kWorker0, line, R"({"event":"evaluation","step":6})");
  lose(kWorker0);
  halted(kWorker1, 7);
  halted(kWorker2, 8);
  BOOST_TEST((rosters.back().writer == kWorker2));  // it has the state
  BOOST_TEST(rosters.back().evaluated == 6);
  join(kWorker0, kAgain);
  pass(kGather, {kWorker0});
  prepared({kWorker1, kWorker2}, 9);
  halted(kWorker1, 9);
  halted(kWorker2, 9);
  BOOST_TEST_REQUIRE(rosters.size() == 3U);
  BOOST_TEST((rosters.back().writer == kWorker2));
  BOOST_TEST((rosters.back().sources == std::map<Slot, Slot>{{kWorker0, kWorker1}}));
}

BOOST_AUTO_TEST_CASE(a_writer_without_a_volume_gives_way_to_one_that_has_one) {
  joinWithVolume(kWorker3, {});
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 7);
  haltAll(7);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST((rosters.back().writer == kWorker3));
  BOOST_TEST((rosters.back().sources == std::map<Slot, Slot>{{kWorker3, kWorker0}}));
  lose(kWorker0);
  joinWithVolume(kWorker0, {}, kAgain);
  for (const Slot worker : {kWorker1, kWorker2, kWorker3})
    halted(worker, 7);
  BOOST_TEST_REQUIRE(rosters.size() == 3U);
  BOOST_TEST((rosters.back().writer == kWorker3));  // it has one, too
  BOOST_TEST((rosters.back().sources == std::map<Slot, Slot>{{kWorker0, kWorker1}}));
}

BOOST_AUTO_TEST_CASE(a_change_that_leaves_one_without_enough_memory_is_made_once_others_come) {
  JoinRequest small = request();
  small.memory_limit = 1U << 20U;
  small.memory_needs = {{1, 3U << 20U}, {2, 2U << 20U}};
  ask(kWorker3, small);
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 7);
  haltAll(7);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  for (const Slot lost : {kWorker1, kWorker2})
    lose(lost);
  for (const Slot left : {kWorker0, kWorker3})
    halted(left, 7);
  pass(std::chrono::seconds(100), {kWorker1, kWorker2});
  BOOST_TEST(rosters.size() == 2U);
  BOOST_TEST(events("waiting").size() == 1U);
  join(kWorker1, kAgain);
  coordinator.onTick(now);
  BOOST_TEST_REQUIRE(rosters.size() == 3U);
  BOOST_TEST(rosters.back().workers() == 3);
  BOOST_TEST(rosters.back().start_step == 7);
  lose(kWorker1);  // no other waits meanwhile
  pass(std::chrono::seconds(1), {kWorker1, kWorker2});
  BOOST_TEST(rosters.size() == 3U);
}

BOOST_AUTO_TEST_CASE(where_no_others_come_all_end_with_75_and_hear_the_bytes) {
  JoinRequest small = request();
  small.memory_limit = 1U << 20U;
  small.memory_needs = {{1, 3U << 20U}};
  ask(kWorker3, small);
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 7);
  haltAll(7);
  for (const Slot gone : {kWorker0, kWorker1, kWorker2})
    lose(gone);
  halted(kWorker3, 7);
  pass(std::chrono::seconds(599), {kWorker0, kWorker1, kWorker2});
  BOOST_TEST(rosters.size() == 2U);
  BOOST_TEST(abort() == "");
  pass(std::chrono::seconds(2), {kWorker0, kWorker1, kWorker2});
  BOOST_TEST(abort().find("3.0 MiB") != std::string::npos, abort());
}

// It may live on, and would write.
BOOST_AUTO_TEST_CASE(a_roster_is_above_that_of_who_wrote_into_the_folders_before) {
  const RosterOrder now_valid = rosters.back().order;
  const auto next = [this](RosterOrder volume) {
    joinWithVolume(kWorker3, volume, rosters.size() * 1000);
    pass(kGather);
    prepared({kWorker0, kWorker1, kWorker2}, 7);
    haltAll(7);
    halted(kWorker3, 7);
    return rosters.back().order;
  };
  BOOST_TEST((now_valid == RosterOrder{1, 1}));
  BOOST_TEST((next({1, 1}) == RosterOrder{1, 2}));
  BOOST_TEST((next({1, 4}) == RosterOrder{2, 1}));
  BOOST_TEST((next({2, 1}) == RosterOrder{2, 2}));
  BOOST_TEST((next({6, 3}) == RosterOrder{7, 1}));
}

// Its next process may see another checkpoint, as this job goes on.
BOOST_AUTO_TEST_CASE(who_lacks_the_kernels_of_this_job_because_of_a_checkpoint_may_come_again) {
  JoinRequest other = request();
  other.kernels = {"avx2"};
  ask(kWorker3, other);
  BOOST_TEST(count(kWorker3, MessageType::kRefuse) == 1U);
  other.newest_checkpoint = 4;
  ask(kWorker3, other, kAgain);
  BOOST_TEST(count(kWorker3, MessageType::kRefuse) == 1U);
  BOOST_TEST(count(kWorker3, MessageType::kAbort) == 1U);
}

BOOST_AUTO_TEST_CASE(who_joins_again_hears_what_it_is_to_do) {
  join(kWorker3);
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 8);
  link.sent.clear();
  join(kWorker1);
  BOOST_TEST(count(kWorker1, MessageType::kRoster) == 1U);
  BOOST_TEST(count(kWorker1, MessageType::kCommit, Commit::kHaltAfter) == 1U);
  BOOST_TEST(link.sent.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_second_process_of_a_member_takes_its_place_and_the_first_ends) {
  join(kWorker1, kAgain);
  BOOST_TEST(count(kWorker0, MessageType::kCommit, Commit::kHaltNow) == 1U);
  link.sent.clear();
  say(kWorker1, MessageType::kHeartbeat);
  BOOST_TEST_REQUIRE(count(kWorker1, MessageType::kAbort) == 1U);
  BOOST_TEST(link.answered.back().value() == firstOf(kWorker1));
  halted(kWorker0, 7);
  halted(kWorker2, 7);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST(rosters.back().find(kWorker1)->member.incarnation == kAgain);
  BOOST_TEST((rosters.back().sources == std::map<Slot, Slot>{{kWorker1, kWorker2}}));
}

BOOST_AUTO_TEST_CASE(who_takes_the_place_of_the_last_that_is_awaited_is_in_the_roster_at_once) {
  say(kWorker2, MessageType::kLeave);
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 7);
  halted(kWorker0, 7);
  halted(kWorker2, 7);
  join(kWorker1, kAgain);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST((rosters.back().sources == std::map<Slot, Slot>{{kWorker1, kWorker0}}));
  link.sent.clear();
  pass(std::chrono::seconds(1), {kWorker1, kWorker2});
  BOOST_TEST(link.count(MessageType::kPrepare) == 0U);  // nobody else has come
}

BOOST_AUTO_TEST_CASE(one_that_is_lost_before_it_is_in_a_roster_costs_nothing) {
  join(kWorker3);
  lose(kWorker3);
  BOOST_TEST(link.count(MessageType::kCommit) == 0U);
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 7);
  haltAll(7);
  BOOST_TEST(rosters.back().workers() == 3);
}

BOOST_AUTO_TEST_CASE(the_loss_of_all_workers_ends_the_job) {
  for (const Slot worker : {kWorker0, kWorker1})
    lose(worker);
  BOOST_TEST(abort() == "");
  lose(kWorker2);
  BOOST_TEST(abort() == "lost worker 2 (it left)");
}

// Nobody has the state any more, although a process of the slot is there.
BOOST_AUTO_TEST_CASE(the_last_worker_that_is_started_again_ends_the_job) {
  for (const Slot worker : {kWorker0, kWorker1})
    lose(worker);
  join(kWorker2, kAgain);
  BOOST_TEST(abort().starts_with("lost worker 2 "));
}

BOOST_AUTO_TEST_CASE(one_that_has_trained_to_the_end_is_awaited_no_more_in_a_change) {
  weights(kWorker2, 20, /*is_last=*/true);
  lose(kServer1);  // the others lack its sums
  halted(kWorker0, 19);
  halted(kWorker1, 19);
  BOOST_TEST(rosters.size() == 1U);
  lose(kWorker2);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST(rosters.back().workers() == 2);
  BOOST_TEST(rosters.back().start_step == 19);
}

// Without it that worker would wait for ever.
BOOST_AUTO_TEST_CASE(one_that_has_trained_to_the_end_and_sends_its_state_is_lost_as_any_other) {
  lose(kServer1);
  halted(kWorker0, kSteps);
  halted(kWorker1, kSteps - 1);
  halted(kWorker2, kSteps);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST((rosters.back().sources == std::map<Slot, Slot>{{kWorker1, kWorker2}}));
  weights(kWorker2, kSteps, /*is_last=*/true);
  link.sent.clear();
  lose(kWorker2);
  BOOST_TEST(count(kWorker1, MessageType::kCommit, Commit::kHaltNow) == 1U);
}

BOOST_AUTO_TEST_CASE(one_that_was_lost_after_its_last_step_is_in_no_other_roster) {
  weights(kWorker2, 20, /*is_last=*/true);
  lose(kWorker2);
  BOOST_TEST(link.sent.empty());
  lose(kServer1);
  halted(kWorker0, 19);
  halted(kWorker1, 19);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST(rosters.back().workers() == 2);
}

// The writer has not written the result yet.
BOOST_AUTO_TEST_CASE(the_loss_of_all_workers_after_their_last_step_ends_the_job) {
  weights(kWorker1, 20, /*is_last=*/true);
  weights(kWorker2, 20, /*is_last=*/true);
  lose(kWorker0);
  lose(kWorker1);
  BOOST_TEST(abort() == "");
  lose(kWorker2);
  BOOST_TEST(abort() == "lost worker 2 (it left)");
}

BOOST_AUTO_TEST_CASE(one_that_is_started_again_at_the_very_end_is_lost_as_in_mid_training) {
  weights(kWorker0, 20, /*is_last=*/true);
  join(kWorker1, kAgain);
  BOOST_TEST(count(kWorker0, MessageType::kCommit, Commit::kHaltNow) == 1U);
  halted(kWorker0, 20);
  halted(kWorker2, 19);
  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST(rosters.back().start_step == 20);
}

BOOST_AUTO_TEST_CASE(one_that_joins_at_the_very_end_disturbs_nobody) {
  weights(kWorker0, 20, /*is_last=*/true);
  join(kWorker3);
  pass(std::chrono::seconds(1));
  BOOST_TEST(link.count(MessageType::kPrepare) == 0U);
  for (const Slot worker : {kWorker0, kWorker1, kWorker2})
    say(worker, MessageType::kFinished);
  BOOST_TEST(count(kWorker3, MessageType::kComplete) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// One worker trains, in a job of as many parts as workers can be at most.
struct LargeFixture : ChangingFixture {
  static constexpr int kMost = 256;
  static constexpr Slot kWorker0{Role::kWorker, 0};

  LargeFixture() : ChangingFixture(large()) {
    join(kWorker0);
    BOOST_TEST_REQUIRE(rosters.size() == 1U);
  }

  static CoordinatorOptions large() {
    CoordinatorOptions options = ChangingFixture::options({});
    options.admission.plan_of = [](std::int64_t /*size*/) -> Result<SumPlan> {
      return SumPlan{makeExchangePlan(std::vector<std::int64_t>{kMost}, /*parts=*/kMost), {}};
    };
    options.admission.workers = options.admission.servers = 1;
    options.admission.most = MostMembers{kMost, 1, {}};
    return options;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(joins_of_255_workers_within_100_ms_are_one_change, LargeFixture) {
  const TimePoint first = now;
  for (int i = 1; i < kMost; ++i) {
    join({Role::kWorker, i}, Incarnation{1000} + static_cast<Incarnation>(i));
    now = first + kGather * i / kMost;
    coordinator.onTick(now);
  }
  BOOST_TEST(link.count(MessageType::kPrepare) == 0U);
  coordinator.onTick(now = first + kGather);
  BOOST_TEST(link.count(MessageType::kPrepare) == 1U);
  prepared({kWorker0}, 7);
  halted(kWorker0, 7);

  BOOST_TEST_REQUIRE(rosters.size() == 2U);
  BOOST_TEST(rosters.back().workers() == kMost);
  BOOST_TEST(std::ssize(rosters.back().sources) == kMost - 1);
}

}  // namespace sumac::changing_test
