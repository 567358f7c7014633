#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/exchange/coordinator/coordinator_fixture.h"

// Members that are lost, do not come or hang (exchange/coordinator/losing.cc).

namespace sumac::losing_test {

namespace {

using wire::Header;
using wire::MessageType;

constexpr Slot kServer1{Role::kServer, 1};
constexpr Slot kWorker0{Role::kWorker, 0};
constexpr Slot kWorker1{Role::kWorker, 1};
constexpr Incarnation kAgain = 99;  // of a second process

/// Two servers and two workers.
struct Fixture : CoordinatorFixture {
  Fixture() : CoordinatorFixture(/*servers=*/2) {}

  static Incarnation firstOf(Slot slot) {
    return Incarnation(10 + slot.index) + (slot.role == Role::kServer ? 100 : 0);
  }
  void say(Slot from, const Header& header, std::string_view text = {},
           Incarnation incarnation = 0) {
    CoordinatorFixture::say(from, incarnation != 0 ? incarnation : firstOf(from), header, text);
  }
  void say(Slot from, MessageType type, Incarnation incarnation = 0) {
    Header header;
    header.type = type;
    say(from, header, {}, incarnation);
  }
  void join(Slot from, Incarnation incarnation = 0, std::int64_t size = 0) {
    JoinRequest request;
    request.kernels = {"baseline"};
    request.size = size;
    Header header;
    header.type = MessageType::kJoin;
    header.value = planHash("");
    say(from, header, toJson(request), incarnation);
  }
  void begin() {
    for (const Slot slot : {kServer1, kWorker0, kWorker1})
      join(slot);
    link.sent.clear();
  }
  /// What the worker has got done so far, and whether it works or waits.
  void beat(Slot worker, std::uint64_t done, bool works) {
    Header header;
    header.type = MessageType::kHeartbeat;
    header.first = done;
    header.count = works ? 1 : 0;
    say(worker, header);
  }
  void weights(Slot worker, Step step, bool is_last) {
    Header header;
    header.type = MessageType::kWeightsCrc;
    header.step = step;
    header.value = 7;
    header.first = is_last ? 1 : 0;
    say(worker, header);
  }
  void pass(int milliseconds, const std::vector<Slot>& living) {
    for (int i = 0; i < milliseconds; i += 250) {
      now += std::chrono::milliseconds(250);
      for (const Slot slot : living)
        say(slot, MessageType::kHeartbeat);
      coordinator.onTick(now);
    }
  }
  /// The text of the abort that all were sent; empty: none.
  std::string abort() const {
    const auto found = std::ranges::find_if(
        link.sent, [](const auto& sent) { return sent.header.type == MessageType::kAbort; });
    return found == link.sent.end() ? "" : std::string(asText(found->payload));
  }
};

const std::vector<Slot> kAll{kServer1, kWorker0, kWorker1};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(losing, Fixture)

BOOST_AUTO_TEST_CASE(before_the_first_roster_a_lost_member_only_makes_room) {
  join(kWorker0);
  join(kServer1);
  pass(4000, {kServer1});
  BOOST_TEST(abort() == "");
  BOOST_TEST((coordinator.vacantSlots() == std::vector<Slot>{kWorker0, kWorker1}));

  join(kWorker1);
  join(kWorker0, kAgain);
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters[0].find(kWorker0)->member.incarnation == kAgain);
}

BOOST_AUTO_TEST_CASE(a_quick_replacement_takes_the_slot_and_its_predecessor_ends) {
  join(kWorker0);
  join(kWorker0, kAgain);
  BOOST_TEST(abort() == "");
  link.sent.clear();

  say(kWorker0, MessageType::kHeartbeat);  // the first one still lives
  BOOST_TEST_REQUIRE(link.sent.size() == 1U);
  BOOST_TEST((link.sent[0].header.type == MessageType::kAbort));
  BOOST_TEST(link.answered.back().value() == firstOf(kWorker0));
  BOOST_TEST(link.sent[0].header.value == 75U);
  join(kWorker0);  // and does not take it back
  join(kServer1);
  join(kWorker1);

  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  BOOST_TEST(rosters[0].find(kWorker0)->member.incarnation == kAgain);
}

BOOST_AUTO_TEST_CASE(a_member_that_leaves_before_the_first_roster_makes_room) {
  join(kWorker0);
  say(kWorker0, MessageType::kGoodbye);
  BOOST_TEST(coordinator.vacantSlots().size() == 3U);
  BOOST_TEST(abort() == "");
}

BOOST_AUTO_TEST_CASE(a_member_that_is_lost_while_links_could_be_measured_is_not_in_a_roster) {
  begin();
  BOOST_TEST_REQUIRE(rosters.size() == 1U);
  join(kWorker0, kAgain);  // too late: from now on each slot keeps its process
  BOOST_TEST(abort().starts_with("another process is worker 0 of this job"));
}

BOOST_AUTO_TEST_CASE(rendezvous_ends_after_join_seconds_and_names_the_vacant_slots) {
  join(kWorker0);
  pass(59'750, {kWorker0});
  BOOST_TEST(abort() == "");
  pass(250, {kWorker0});
  test::checkGolden("exchange/coordinator/missing_members.txt", abort() + "\n");
  say(kWorker0, MessageType::kGoodbye);
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 75);
}

BOOST_AUTO_TEST_CASE(rendezvous_that_ends_says_why_a_member_that_is_missing_was_refused) {
  join(kServer1);
  join(kWorker0);
  JoinRequest other;
  other.kernels = {"baseline"};
  other.plan_text = "program.code=1\n";
  Header header;
  header.type = MessageType::kJoin;
  header.value = planHash(other.plan_text);
  say(kWorker1, header, toJson(other));
  pass(60'000, {kServer1, kWorker0});
  BOOST_TEST(abort().find("; worker 1 was refused: program.code") != std::string::npos, abort());
}

BOOST_AUTO_TEST_CASE(a_worker_that_has_trained_to_the_end_ends_nothing_when_it_is_lost) {
  begin();
  weights(kWorker1, 20, /*is_last=*/true);
  BOOST_TEST(progress.back() == R"({"event":"dispensable","role":"worker","index":1})");
  pass(4000, {kServer1, kWorker0});
  BOOST_TEST(abort() == "");

  Header finished;
  finished.type = MessageType::kFinished;
  say(kWorker0, finished, "{}");
  BOOST_TEST(link.count(MessageType::kComplete) == 2U);
}

BOOST_AUTO_TEST_CASE(a_server_ends_nothing_once_all_workers_have_the_last_weights) {
  begin();
  weights(kWorker1, 20, /*is_last=*/true);
  weights(kWorker0, 20, /*is_last=*/true);
  BOOST_TEST(progress.back() == R"({"event":"dispensable","role":"server","index":1})");
  pass(4000, {kWorker0, kWorker1});
  BOOST_TEST(abort() == "");
}

BOOST_AUTO_TEST_CASE(a_server_that_worker_0_may_need_ends_the_job) {
  begin();
  weights(kWorker1, 20, /*is_last=*/true);
  weights(kWorker0, 10, /*is_last=*/false);
  pass(4000, {kWorker0, kWorker1});
  BOOST_TEST(abort() == "lost server 1 (no heartbeat for 3 s)");
}

BOOST_AUTO_TEST_CASE(the_worker_that_evaluates_ends_the_job) {
  begin();
  weights(kWorker0, 20, /*is_last=*/true);
  weights(kWorker1, 20, /*is_last=*/true);
  pass(4000, {kServer1, kWorker1});
  BOOST_TEST(abort() == "lost worker 0 (no heartbeat for 3 s)");
}

// Its vote would be missing.
BOOST_AUTO_TEST_CASE(a_stop_does_not_wait_for_a_worker_that_was_lost_after_its_last_step) {
  begin();
  weights(kWorker1, 20, /*is_last=*/true);
  pass(4000, {kServer1, kWorker0});
  coordinator.requestStop(kSelf);
  Header prepared;
  prepared.type = MessageType::kPrepared;
  prepared.step = 20;
  say(kWorker0, prepared);
  BOOST_TEST(link.count(MessageType::kCommit) > 0U);
}

BOOST_AUTO_TEST_CASE(a_worker_that_works_and_gets_nothing_done_is_lost_although_it_answers) {
  begin();
  for (int i = 0; i < 80; ++i) {
    beat(kWorker0, 5, /*works=*/false);  // waits for the other
    beat(kWorker1, 7, /*works=*/true);
    say(kServer1, MessageType::kHeartbeat);
    BOOST_TEST(abort() == "");
    coordinator.onTick(now += std::chrono::milliseconds(250));
  }
  beat(kWorker1, 7, /*works=*/true);
  coordinator.onTick(now += std::chrono::milliseconds(250));
  test::checkGolden("exchange/coordinator/stalled_worker.txt", abort() + "\n");
  BOOST_TEST(link.count(MessageType::kAbort) == 3U);  // the one that hangs is told, too
}

BOOST_AUTO_TEST_CASE(a_long_evaluation_that_gets_on_is_no_hang) {
  begin();
  for (std::uint64_t i = 0; i < 400; ++i) {
    beat(kWorker0, i / 40, /*works=*/true);  // a batch in 10 s
    beat(kWorker1, 7, /*works=*/false);
    say(kServer1, MessageType::kHeartbeat);
    coordinator.onTick(now += std::chrono::milliseconds(250));
  }
  BOOST_TEST(abort() == "");
}

BOOST_AUTO_TEST_CASE(a_worker_that_was_lost_after_its_last_step_does_not_hang) {
  begin();
  weights(kWorker1, 20, /*is_last=*/true);
  beat(kWorker1, 7, /*works=*/true);  // its last words
  pass(30'000, {kServer1, kWorker0});
  BOOST_TEST(abort() == "");
}

// All were halted, as with the machine, and nobody got on.
BOOST_AUTO_TEST_CASE(a_pause_of_the_coordinator_itself_is_no_hang_of_others) {
  begin();
  beat(kWorker1, 7, /*works=*/true);
  coordinator.onTick(now += std::chrono::milliseconds(250));
  coordinator.onTick(now += std::chrono::seconds(100));
  beat(kWorker1, 7, /*works=*/true);
  coordinator.onTick(now += std::chrono::milliseconds(250));
  BOOST_TEST(abort() == "");
}

BOOST_AUTO_TEST_CASE(a_worker_that_waits_writes_the_checkpoint_of_a_stop_where_worker_0_is_busy) {
  begin();
  coordinator.requestStop(kSelf);
  for (int i = 0; i < 33; ++i) {
    beat(kWorker0, 0, /*works=*/true);
    beat(kWorker1, 0, /*works=*/false);
    say(kServer1, MessageType::kHeartbeat);
    coordinator.onTick(now += std::chrono::milliseconds(250));
  }
  const auto orderOf = [&](Slot worker) {
    const auto found = std::ranges::find_if(link.sent, [&](const auto& sent) {
      return sent.to.slot == worker && sent.header.type == MessageType::kCommit;
    });
    BOOST_TEST_REQUIRE((found != link.sent.end()));
    return static_cast<wire::Commit>(found->header.value);
  };
  BOOST_TEST((orderOf(kWorker0) == wire::Commit::kStopNow));
  BOOST_TEST((orderOf(kWorker1) == wire::Commit::kStopNowAndCheckpoint));
  weights(kWorker1, 4, /*is_last=*/false);
  beat(kWorker1, 1, /*works=*/true);  // it writes now, and stays the one that does
  pass(2000, kAll);
  BOOST_TEST(link.count(MessageType::kWeightsCrc) == 1U);
}

// It has drafted a checkpoint, too, and waits for the answer.
BOOST_AUTO_TEST_CASE(the_checkpoint_of_a_stop_does_not_wait_for_worker_0_that_has_the_weights) {
  begin();
  beat(kWorker0, 0, /*works=*/true);
  beat(kWorker1, 0, /*works=*/false);
  coordinator.requestStop(kSelf);
  say(kServer1, MessageType::kGoodbye);
  weights(kWorker1, 4, /*is_last=*/false);
  const auto isConfirmed = [&](Slot worker) {
    return std::ranges::any_of(link.sent, [&](const auto& sent) {
      return sent.to.slot == worker && sent.header.type == MessageType::kWeightsCrc;
    });
  };
  BOOST_TEST(!isConfirmed(kWorker1));  // the other may have different ones
  weights(kWorker0, 4, /*is_last=*/false);
  BOOST_TEST(isConfirmed(kWorker1));
  BOOST_TEST(isConfirmed(kWorker0));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::losing_test
