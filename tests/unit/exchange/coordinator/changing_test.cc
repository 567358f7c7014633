#include <algorithm>
#include <set>

#include <boost/test/unit_test.hpp>

#include "exchange/coordinator/coordinator.h"
#include "tests/support/recording_link.h"

// Members that come, go and are lost while a job trains on (exchange/coordinator/changing.cc).

namespace sumac::changing_test {
namespace {

using wire::Commit;
using wire::Finished;
using wire::Header;
using wire::MessageType;

constexpr Slot kServer0{Role::kServer, 0};
constexpr Slot kServer1{Role::kServer, 1};
constexpr Slot kWorker0{Role::kWorker, 0};
constexpr Slot kWorker1{Role::kWorker, 1};
constexpr Slot kWorker2{Role::kWorker, 2};
constexpr Slot kWorker3{Role::kWorker, 3};
constexpr Incarnation kAgain = 99;  // of a second process

/// A job of two servers and three workers, that may have twice as many.
struct Fixture : CoordinatorListener {
  RecordingLink link;
  Coordinator coordinator{{7,
                           {kServer0, 100},
                           {.self = RosterEntry{{kServer0, 100}, "e"},
                            .server_text = "",
                            .plan_of = plan,
                            .workers = 3,
                            .servers = 2,
                            .most = MostMembers{6, 4}}},
                          link,
                          *this};
  TimePoint now{std::chrono::hours(1)};
  std::vector<Roster> rosters;
  std::vector<std::string> progress;
  std::vector<std::pair<ExitCode, std::string>> ends;

  Fixture() {
    coordinator.start(now);
    for (const Slot slot : {kServer1, kWorker0, kWorker1, kWorker2})
      join(slot);
    BOOST_TEST_REQUIRE(rosters.size() == 1U);
    link.sent.clear();
  }
  void onRosterIssued(const Roster& roster) override {
    rosters.push_back(roster);
    for (const RosterEntry& entry : roster.members) {  // it was sent to this process
      const Member& member = entry.member;
      if (member.slot == kServer0) continue;
      const link::Peer lane{member.slot, link::Lane::kControl};
      BOOST_TEST(link.expected_process[lane] == member.incarnation);
    }
  }
  void onProgress(const std::string& json) override { progress.push_back(json); }
  void onJobOver(ExitCode code, const std::string& reason) override {
    ends.emplace_back(code, reason);
  }
  static Result<SumPlan> plan(int /*vocabulary*/) {
    return SumPlan{makeExchangePlan(std::vector<std::int64_t>{3}, /*parts=*/6), {}};
  }

  static Incarnation firstOf(Slot slot) {
    return Incarnation(10 + slot.index) + (slot.role == Role::kServer ? 90 : 0);
  }
  void say(Slot from, Header header, std::string_view text = {}, Incarnation process = 0) {
    header.job = 7;
    header.sender = {from, process != 0 ? process : firstOf(from)};
    if (header.term == 0 && !rosters.empty()) {
      header.term = rosters.back().order.term;
      header.generation = rosters.back().order.generation;
    }
    coordinator.onMessage(from, header, asBytes(text));
  }
  void say(Slot from, MessageType type, Step step = 0, std::uint64_t value = 0) {
    Header header;
    header.type = type;
    header.step = step;
    header.value = value;
    say(from, header);
  }
  void join(Slot from, Incarnation process = 0, Step checkpoint = 0) {
    JoinRequest request;
    request.kernels = {"baseline"};
    request.endpoint = "tcp://a:1";
    request.newest_checkpoint = checkpoint;
    Header header;
    header.type = MessageType::kJoin;
    header.value = planHash("");
    say(from, header, toJson(request), process);
  }
  void prepared(const std::vector<Slot>& workers, Step begun) {
    for (const Slot worker : workers)
      say(worker, MessageType::kPrepared, begun);
  }
  void halted(Slot worker, std::optional<Step> done) {
    Header header;
    header.type = MessageType::kFinished;
    header.value = static_cast<std::uint64_t>(Finished::kHalted);
    header.step = done.value_or(0);
    header.first = done ? 0 : 1;
    say(worker, header);
  }
  void haltAll(Step done) {
    for (const Slot worker : {kWorker0, kWorker1, kWorker2})
      halted(worker, done);
  }
  void weights(Slot worker, Step step, bool is_last) {
    Header header;
    header.type = MessageType::kWeightsCrc;
    header.step = step;
    header.value = 7;
    header.first = is_last ? 1 : 0;
    say(worker, header);
  }
  void pass(Duration time, const std::set<Slot>& silent = {}) {
    for (const TimePoint end = now + time; now < end;) {
      now += std::chrono::milliseconds(100);
      for (const Slot slot : {kServer1, kWorker0, kWorker1, kWorker2, kWorker3})
        if (!silent.contains(slot)) say(slot, MessageType::kHeartbeat);
      coordinator.onTick(now);
    }
  }
  void lose(Slot slot) { say(slot, MessageType::kGoodbye); }
  /// How often `type` went to `slot`, of a commit as `how`.
  std::size_t count(Slot slot, MessageType type, std::optional<Commit> how = {}) const {
    return static_cast<std::size_t>(std::ranges::count_if(link.sent, [&](const auto& sent) {
      return sent.to.slot == slot && sent.header.type == type &&
             (!how || sent.header.value == static_cast<std::uint64_t>(*how));
    }));
  }
  /// The only worker of the roster that was told so.
  bool isToldToAll(Commit how) const {
    return std::ranges::all_of(std::vector{kWorker0, kWorker1, kWorker2}, [&](Slot slot) {
      return count(slot, MessageType::kCommit, how) == 1;
    });
  }
  /// The text of the abort that all were sent; empty: none.
  std::string abort() const {
    const auto answered = link.answered.end() - std::ssize(link.sent);
    for (std::ptrdiff_t i = 0; i < std::ssize(link.sent); ++i) {
      const auto& sent = link.sent[static_cast<std::size_t>(i)];
      if (sent.header.type == MessageType::kAbort && !answered[i])
        return std::string(asText(sent.payload));
    }
    return {};
  }
};

constexpr auto kGather = MembershipChange::kGather;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(changing, Fixture)

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

BOOST_AUTO_TEST_CASE(who_leaves_is_released_when_its_last_step_is_done_and_told_so_again) {
  say(kWorker1, MessageType::kLeave);
  say(kWorker1, MessageType::kLeave);
  pass(kGather);
  prepared({kWorker0, kWorker1, kWorker2}, 7);
  BOOST_TEST(count(kWorker1, MessageType::kRelease) == 0U);
  haltAll(7);
  BOOST_TEST(count(kWorker1, MessageType::kRelease) == 1U);
  BOOST_TEST(rosters.back().workers() == 2);
  BOOST_TEST(rosters.back().sources.empty());

  join(kWorker1);
  BOOST_TEST(count(kWorker1, MessageType::kRelease) == 2U);
  BOOST_TEST(link.answered.back().value() == firstOf(kWorker1));
  pass(std::chrono::seconds(4), {kWorker1});  // that it is silent means nothing
  BOOST_TEST(link.count(MessageType::kCommit) == 3U);
  BOOST_TEST(ends.empty());
}

// One that has not got the state yet is none who could go on.
BOOST_AUTO_TEST_CASE(a_leave_of_the_last_that_has_the_state_is_a_stop) {
  for (const Slot worker : {kWorker1, kWorker2})
    lose(worker);
  join(kWorker3);
  halted(kWorker0, 7);
  BOOST_TEST_REQUIRE(rosters.back().sources.size() == 1U);
  link.sent.clear();
  say(kWorker0, MessageType::kLeave);
  BOOST_TEST(count(kWorker0, MessageType::kPrepare) == 1U);
  BOOST_TEST(count(kWorker3, MessageType::kPrepare) == 1U);
  prepared({kWorker0, kWorker3}, 8);
  BOOST_TEST(count(kWorker0, MessageType::kCommit, Commit::kStopAfter) == 1U);
}

BOOST_AUTO_TEST_CASE(where_another_has_got_the_state_it_is_not) {
  for (const Slot worker : {kWorker1, kWorker2})
    lose(worker);
  join(kWorker3);
  halted(kWorker0, 7);
  say(kWorker3, MessageType::kReady);
  say(kWorker0, MessageType::kLeave);
  pass(kGather, {kWorker1, kWorker2});
  prepared({kWorker0, kWorker3}, 8);
  halted(kWorker0, 8);
  halted(kWorker3, 8);
  BOOST_TEST((rosters.back().writer == kWorker3));
  BOOST_TEST(rosters.back().workers() == 1);
}

BOOST_AUTO_TEST_CASE(a_leave_of_the_coordinator_is_a_stop) {
  coordinator.requestStop(kServer0);
  prepared({kWorker0, kWorker1, kWorker2}, 8);
  BOOST_TEST(isToldToAll(Commit::kStopAfter));
}

BOOST_AUTO_TEST_CASE(a_stop_replaces_a_change_in_each_of_its_phases) {
  for (const std::string phase : {"gathering", "voting", "finishing", "halting"}) {
    Fixture job;
    job.join(kWorker3);
    if (phase != "gathering") job.pass(kGather);
    if (phase == "finishing") job.prepared({kWorker0, kWorker1, kWorker2}, 8);
    if (phase == "halting") {
      job.lose(kServer1);
      job.halted(kWorker2, 7);
    }
    job.link.sent.clear();
    job.coordinator.requestStop(kServer0);
    BOOST_TEST(job.link.count(MessageType::kPrepare) == 3U, phase);
    BOOST_TEST(job.count(kWorker3, MessageType::kPrepare) == 0U);
    if (phase == "halting") {  // at once: who has halted finishes no step
      BOOST_TEST(job.count(kWorker0, MessageType::kCommit, Commit::kStopNowAndCheckpoint) == 1U);
      BOOST_TEST(job.count(kWorker1, MessageType::kCommit, Commit::kStopNow) == 1U);
    } else {
      job.prepared({kWorker0, kWorker1, kWorker2}, 8);
      BOOST_TEST(job.isToldToAll(Commit::kStopAfter), phase);
    }
    job.haltAll(8);  // too late
    job.pass(kGather);
    BOOST_TEST(job.rosters.size() == 1U, phase);
    for (const Slot worker : {kWorker0, kWorker1, kWorker2})
      job.say(worker, MessageType::kFinished, 8, static_cast<std::uint64_t>(Finished::kStopped));
    BOOST_TEST(job.count(kWorker3, MessageType::kRelease) == 1U, phase);
    BOOST_TEST(job.count(kWorker0, MessageType::kRelease) == 1U, phase);
  }
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

}  // namespace sumac::changing_test
