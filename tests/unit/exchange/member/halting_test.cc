#include <boost/test/unit_test.hpp>

#include "base/core/crc32c.h"
#include "exchange/wire/suspect.h"
#include "tests/unit/exchange/member/member_trainer.h"

// A worker of a job whose members change: halts, states that it gets, and what it outlives.

namespace sumac::halting_test {
namespace {

using link::Lane;
using link::Peer;
using wire::Header;
using wire::MessageType;

/// It is a member, and outlives others.
struct Elastic : MemberTrainer {
  Elastic() : MemberTrainer(std::chrono::seconds(60)) { begin(); }

  /// Another process coordinates.
  void loseCoordinator() {
    Header header = fromServer(MessageType::kHeartbeat);
    header.sender.incarnation = 201;
    member.onMessage(kControl, header, {});
    member.onPeerDown(kControl, "broken");
    link.sent.clear();
    member.onPeerUp(kControl);
  }
  void checkRejoins(Step done) const {
    BOOST_TEST(link.count(MessageType::kFinished) == 0U);
    BOOST_TEST_REQUIRE(link.count(MessageType::kJoin) == 1U);
    const auto request = joinRequestFromJson(asText(link.sent.back().payload));
    BOOST_TEST(request.value().followed->has_halted);
    BOOST_TEST((request.value().followed->done == std::optional(done)));
  }
  void checkLeavesAlone(ExitCode code) {
    training().fail(code, "of its own machine");
    BOOST_TEST(link.count(MessageType::kAbort) == 0U);
    BOOST_TEST((link.sent.back().header.type == MessageType::kGoodbye));
    BOOST_TEST_REQUIRE(ends.size() == 1U);
    BOOST_TEST(toInt(ends[0].first) == toInt(code));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(halting, MemberTrainer)

BOOST_AUTO_TEST_CASE(halts_after_the_agreed_step_and_goes_on_with_the_next_roster) {
  begin();
  submit(1);
  control(MessageType::kPrepare);
  BOOST_TEST(told(MessageType::kPrepared).step == 1);
  commit(wire::Commit::kHaltAfter, 2);
  BOOST_TEST((stops == Stops{{.after = 2, .halts = true}}));
  sum(1);
  submit(2);
  control(MessageType::kPrepare);  // asked again, as by a stop
  BOOST_TEST(told(MessageType::kPrepared).step == 2);
  sum(2);
  BOOST_TEST((sums == std::vector<Step>{1, 2}));
  training().halted(2);
  checkHalted(2);

  beginNext(2);
  BOOST_TEST((starts == std::vector<TreeNode>{{0, 1}, {0, 2}}));
  submit(3);
  BOOST_TEST(link.sent.back().header.generation == 2U);
  generation = 1;
  sum(3);  // of the roster before
  BOOST_TEST(sums.size() == 2U);
  generation = 2;
  sum(3);
  BOOST_TEST((sums == std::vector<Step>{1, 2, 3}));
  control(MessageType::kPrepare);
  BOOST_TEST(told(MessageType::kPrepared).step == 4);
}

// Where the sums of the open step come no more.
BOOST_AUTO_TEST_CASE(halts_where_it_is_and_computes_the_same_step_again) {
  begin();
  submit(1);
  commit(wire::Commit::kHaltNow);
  BOOST_TEST((stops == Stops{{.after = 0, .halts = true}}));
  training().halted(std::nullopt);
  checkHalted(std::nullopt);
  beginNext(0);
  submit(1);
  sum(1);
  BOOST_TEST((sums == std::vector<Step>{1}));
  BOOST_TEST(ends.empty());
}

BOOST_AUTO_TEST_CASE(says_on_a_new_connection_that_it_has_halted_until_the_next_roster) {
  begin();
  training().reportWeights(100, 1);
  commit(wire::Commit::kHaltNow);
  training().halted(7);
  for (const bool is_over : {false, true}) {
    if (is_over) beginNext(7);
    link.sent.clear();
    member.onPeerDown(kControl, "broken");
    member.onPeerUp(kControl);
    BOOST_TEST(link.count(MessageType::kFinished) == (is_over ? 0U : 1U));
    BOOST_TEST(link.count(MessageType::kWeightsCrc) == (is_over ? 0U : 1U));
    if (!is_over) checkHalted(7);
  }
}

BOOST_AUTO_TEST_CASE(a_stop_replaces_a_halt_and_never_the_reverse) {
  using enum wire::Commit;
  const StopOrder halt_after{.after = 2, .halts = true};
  const StopOrder halt{.after = 0, .halts = true};
  struct Case {
    std::vector<wire::Commit> commits;
    Stops stops;
  };
  for (const Case& one :
       {Case{{kHaltAfter, kHaltNow}, {halt_after, halt}},
        Case{{kHaltAfter, kHaltAfter}, {halt_after}}, Case{{kHaltNow, kHaltAfter}, {halt}},
        Case{{kHaltAfter, kStopAfter}, {halt_after, {.after = 2}}},
        Case{{kHaltAfter, kStopNow}, {halt_after, {.after = 0}}},
        Case{{kHaltNow, kStopNowAndCheckpoint}, {halt, {.after = 0, .writes = true}}},
        Case{{kStopAfter, kHaltAfter, kHaltNow}, {{.after = 2}}},
        Case{{kStopNow, kHaltNow, kStopAfter}, {{.after = 0}}}}) {
    MemberTrainer fixture;
    fixture.begin();
    for (const wire::Commit how : one.commits)
      fixture.commit(how, how == kHaltAfter || how == kStopAfter ? 2 : 0);
    BOOST_TEST((fixture.stops == one.stops));
  }
}

BOOST_AUTO_TEST_CASE(a_state_that_has_come_is_told_and_told_again) {
  const Peer source{{Role::kWorker, 1}, Lane::kData};
  std::vector<float> memory(101);
  Roster lacking = roster(1);
  lacking.start_step = 8;
  lacking.sources = {{identity().self.slot, source.slot}};
  control(MessageType::kRoster, toJson(lacking));
  BOOST_TEST((link.awaited == std::vector<Peer>{source}));
  training().receive({8, {std::as_writable_bytes(std::span(memory))}});
  BOOST_TEST_REQUIRE(link.count(MessageType::kStateAsk) == 1U);
  BOOST_TEST((link.sent.back().to == source));

  const std::vector<float> values(101, 3.0F);
  Header header = link.sent.back().header;
  header.sender = {source.slot, 101};
  const auto says = [&](MessageType type, std::uint64_t first, BytesView payload) {
    header.type = type;
    header.first = first;
    header.count = static_cast<std::uint32_t>(payload.size() / sizeof(float));
    header.value = crc32c(std::as_bytes(std::span(values)));
    member.onMessage(source, header, link::makePayload(payload));
  };
  says(MessageType::kState, 0, std::as_bytes(std::span(values)));
  BOOST_TEST(arrivals.empty());
  says(MessageType::kStateEnd, 101, {});
  BOOST_TEST((arrivals == std::vector<StateArrival>{StateArrival::kWhole}));
  BOOST_TEST((memory == values));
  BOOST_TEST(told(MessageType::kReady).value == 404U);
  member.onPeerDown(kControl, "broken");
  member.onPeerUp(kControl);
  BOOST_TEST(link.count(MessageType::kReady) == 2U);
}

BOOST_AUTO_TEST_CASE(who_halts_before_its_state_has_come_receives_no_more_of_it) {
  const Peer source{{Role::kWorker, 1}, Lane::kData};
  std::vector<float> memory(101);
  Roster lacking = roster(1);
  lacking.sources = {{identity().self.slot, source.slot}};
  control(MessageType::kRoster, toJson(lacking));
  training().receive({0, {std::as_writable_bytes(std::span(memory))}});
  Header header = link.sent.back().header;
  commit(wire::Commit::kHaltNow);
  training().halted(std::nullopt);
  header.type = MessageType::kState;
  header.sender = {source.slot, 101};
  header.count = 101;
  const std::vector<float> values(101, 3.0F);
  member.onMessage(source, header, link::makePayload(std::as_bytes(std::span(values))));
  BOOST_TEST((memory == std::vector<float>(101)));
}

BOOST_FIXTURE_TEST_CASE(who_has_lost_the_coordinator_halts_and_asks_to_join_with_its_state,
                        Elastic) {
  submit(1);
  loseCoordinator();
  BOOST_TEST((stops == Stops{{.after = 0, .halts = true}}));
  BOOST_TEST(link.count(MessageType::kJoin) == 0U);
  training().halted(1);
  checkRejoins(1);
  BOOST_TEST(ends.empty());
}

// Nobody ends that stop any more.
BOOST_FIXTURE_TEST_CASE(it_halts_also_in_a_stop, Elastic) {
  submit(1);
  commit(wire::Commit::kStopAfter, 2);
  loseCoordinator();
  BOOST_TEST((stops == Stops{{.after = 2}, {.after = 0, .halts = true}}));
  training().halted(1);
  checkRejoins(1);
}

BOOST_FIXTURE_TEST_CASE(who_has_halted_does_not_halt_again, Elastic) {
  commit(wire::Commit::kHaltNow);
  training().halted(7);
  loseCoordinator();
  BOOST_TEST(stops.size() == 1U);
  checkRejoins(7);
}

// Then the coordinator alone ends.
BOOST_FIXTURE_TEST_CASE(after_a_stop_that_is_done_it_halts, Elastic) {
  commit(wire::Commit::kStopAfter, 2);
  training().stopped();
  commit(wire::Commit::kHaltNow);
  BOOST_TEST((stops == Stops{{.after = 2}, {.after = 0, .halts = true}}));
  training().halted(2);
  checkHalted(2);
}

BOOST_FIXTURE_TEST_CASE(a_lane_that_cannot_be_used_is_told_and_told_again_whatever_roster_comes,
                        Elastic) {
  member.onSuspected(kData, "nothing was heard");
  BOOST_TEST((wire::suspectOf(told(MessageType::kSuspect)) == kData.slot));
  member.onSuspected(kData, "nothing was heard");
  BOOST_TEST(link.count(MessageType::kAbort) == 0U);
  BOOST_TEST(ends.empty());
  for (const bool is_over : {false, true}) {
    if (is_over) {
      commit(wire::Commit::kHaltNow);
      training().halted(7);
      beginNext(7);
    }
    link.sent.clear();
    member.onPeerDown(kControl, "broken");
    member.onPeerUp(kControl);
    BOOST_TEST(link.count(MessageType::kSuspect) == 1U);
  }
}

// Who waits for the state would wait for ever.
BOOST_FIXTURE_TEST_CASE(who_has_trained_to_the_end_tells_of_a_lane_that_a_state_is_to_take,
                        Elastic) {
  constexpr Slot kOther{Role::kWorker, 1};
  for (const bool is_source : {false, true}) {
    commit(wire::Commit::kHaltNow);
    training().halted(9);
    Roster next = roster(is_source ? 3 : 2);
    next.start_step = 9;
    if (is_source) next.sources = {{kOther, identity().self.slot}};
    control(MessageType::kRoster, toJson(next));
    training().reportWeights(9, 1, {}, /*is_last=*/true);
    link.sent.clear();
    member.onSuspected({kOther, Lane::kData}, "nothing was heard");
    BOOST_TEST(link.count(MessageType::kSuspect) == (is_source ? 1U : 0U));
  }
}

// It took itself for one that waits for another coordinator: it told nothing on a new connection,
// and did not halt when it lost the coordinator again.
BOOST_FIXTURE_TEST_CASE(who_comes_back_to_its_coordinator_in_a_stop_is_a_member_again, Elastic) {
  loseCoordinator();
  training().halted(0);
  checkRejoins(0);
  commit(wire::Commit::kStopNow);
  training().stopped();
  link.sent.clear();
  member.onPeerDown(kControl, "broken");
  member.onPeerUp(kControl);
  BOOST_TEST_REQUIRE(link.count(MessageType::kJoin) == 1U);
  const auto request = joinRequestFromJson(asText(link.sent.front().payload));
  BOOST_TEST(!request.value().followed->has_halted);
  BOOST_TEST(told(MessageType::kFinished).value ==
             static_cast<std::uint64_t>(wire::Finished::kStopped));
  stops.clear();
  loseCoordinator();
  BOOST_TEST((stops == Stops{{.after = 0, .halts = true}}));
}

// The coordinator says it to the slot, where another process may be by now.
BOOST_FIXTURE_TEST_CASE(weights_that_another_roster_agreed_on_are_not_those_of_its_own, Elastic) {
  commit(wire::Commit::kHaltNow);
  training().halted(0);
  beginNext(0);
  generation = 1;
  control(MessageType::kWeightsCrc, {}, 5);
  BOOST_TEST(agreed.empty());
  generation = 2;
  control(MessageType::kWeightsCrc, {}, 3);
  BOOST_TEST((agreed == std::vector<Step>{3}));
}

// What its machine lacks, another process of its slot may have.
BOOST_FIXTURE_TEST_CASE(who_lacks_a_resource_leaves_and_the_others_go_on, Elastic) {
  checkLeavesAlone(ExitCode::kResourceFailed);
}

// As its machine's copy of the data, which was whole when it joined.
BOOST_FIXTURE_TEST_CASE(who_finds_its_data_damaged_later_leaves_and_the_others_go_on, Elastic) {
  checkLeavesAlone(ExitCode::kBadConfiguration);
}

BOOST_FIXTURE_TEST_CASE(who_has_failed_otherwise_ends_the_job, Elastic) {
  training().fail(ExitCode::kFailed, "NaN");
  BOOST_TEST((link.sent.back().header.type == MessageType::kAbort));
  BOOST_TEST_REQUIRE(ends.size() == 1U);
}

BOOST_AUTO_TEST_CASE(where_members_do_not_change_so_does_who_lacks_a_resource) {
  begin();
  training().fail(ExitCode::kResourceFailed, "no room");
  BOOST_TEST((link.sent.back().header.type == MessageType::kAbort));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::halting_test
