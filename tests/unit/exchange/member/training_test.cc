#include "exchange/member/training.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/member/member_trainer.h"

namespace sumac::training_test {

namespace {

using link::Lane;
using link::Peer;
using wire::Header;
using wire::MessageType;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(training, MemberTrainer)

BOOST_AUTO_TEST_CASE(asks_to_be_let_in_and_starts_with_the_roster) {
  BOOST_TEST_REQUIRE(link.sent.size() == 1U);
  BOOST_TEST((link.sent[0].header.type == MessageType::kJoin));
  BOOST_TEST(link.sent[0].header.value == planHash("a=1\n"));
  begin();
  BOOST_TEST((starts == std::vector<TreeNode>{{0, 1}}));
  BOOST_TEST((link.connected == std::vector<Peer>{kControl, kData}));
}

BOOST_AUTO_TEST_CASE(rosters_that_are_broken_old_or_without_us_change_nothing) {
  Roster others = roster(1);
  others.members[1].member.incarnation = 5;
  Roster other_ranges = roster(1);
  other_ranges.shards = ShardMap::ofOwners(ExchangeMethod::kServers, {0, 0});
  for (const std::string& text : {std::string("{"), toJson(others), toJson(other_ranges)}) {
    control(MessageType::kRoster, text);
  }
  BOOST_TEST(starts.empty());
  begin();
  control(MessageType::kRoster, toJson(roster(1)));
  BOOST_TEST(starts.size() == 1U);
  BOOST_TEST(ends.empty());
}

BOOST_AUTO_TEST_CASE(a_roster_that_comes_before_it_has_halted_ends_it) {
  begin();
  control(MessageType::kRoster, toJson(roster(2)));
  BOOST_TEST(starts.size() == 1U);
  BOOST_TEST((link.sent.back().header.type == MessageType::kGoodbye));
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((ends[0].first == ExitCode::kLostPeers));
}

BOOST_AUTO_TEST_CASE(a_trainer_that_goes_on_after_the_end_sends_nothing) {
  begin();
  control(MessageType::kComplete, "{}");
  const std::size_t before = link.sent.size();
  submit(1);
  member.onRoom(kData);
  member.onTick(now += std::chrono::minutes(1));
  BOOST_TEST(link.sent.size() == before);
  BOOST_TEST(member.waits().empty());
}

BOOST_AUTO_TEST_CASE(between_prepare_and_commit_no_sum_lets_the_trainer_go_on) {
  begin();
  submit(1);
  control(MessageType::kPrepare);
  BOOST_TEST((link.sent.back().header.type == MessageType::kPrepared));
  BOOST_TEST(link.sent.back().header.step == 1);
  sum(1);
  BOOST_TEST((partial_sums == std::vector<Step>{1}));
  BOOST_TEST(sums.empty());
  control(MessageType::kCommit, {}, 2);
  BOOST_TEST((stops == Stops{{.after = 2}}));
  BOOST_TEST((sums == std::vector<Step>{1}));
  control(MessageType::kCommit, {}, 3);
  BOOST_TEST(stops.size() == 1U);
}

BOOST_AUTO_TEST_CASE(stops_where_it_is_when_the_agreed_step_does_not_come) {
  begin();
  submit(1);
  control(MessageType::kPrepare);
  control(MessageType::kCommit, {}, 2);
  control(MessageType::kCommit, {}, 0, 2);
  control(MessageType::kCommit, {}, 0, 1);
  BOOST_TEST((stops == Stops{{.after = 2}, {.after = 0, .writes = true}, {.after = 0}}));
}

BOOST_AUTO_TEST_CASE(a_sum_that_was_held_counts_when_it_stops_where_it_is) {
  begin();
  submit(1);
  control(MessageType::kPrepare);
  sum(1);
  control(MessageType::kCommit, {}, 0, 2);
  BOOST_TEST((stops == Stops{{.after = 0, .writes = true}}));
  BOOST_TEST((sums == std::vector<Step>{1}));
}

BOOST_AUTO_TEST_CASE(leaves_after_13_s_when_nobody_releases_it) {
  begin();
  member.onTick(now);
  member.leave();
  const auto pass = [&](int seconds) {
    for (int i = 0; i < 4 * seconds; ++i) {
      control(MessageType::kHeartbeat);
      member.onTick(now += std::chrono::milliseconds(250));
      if (i == 7) member.leave();  // a second signal changes nothing
    }
  };
  pass(12);
  BOOST_TEST(ends.empty());
  pass(1);
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((ends[0].first == ExitCode::kStopped));
  BOOST_TEST(ends[0].second.find("server 0") != std::string::npos);
  BOOST_TEST(ends[0].second.find("13 s") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_the_step_after_the_last_sum_as_begun) {
  begin();
  submit(1);
  sum(1);
  control(MessageType::kPrepare);
  BOOST_TEST(link.sent.back().header.step == 2);
}

BOOST_AUTO_TEST_CASE(a_new_control_connection_says_again_what_may_be_lost) {
  begin();
  training().reportWeights(100, 1);
  training().reportWeights(200, 2);
  training().reportWeights(300, 3);
  training().checkpointed(300);
  training().finished("{}");
  member.leave();
  link.sent.clear();
  member.onPeerDown(kControl, "broken");
  member.onPeerUp(kControl);
  BOOST_TEST((link.sent.front().header.type == MessageType::kJoin));
  BOOST_TEST(link.count(MessageType::kWeightsCrc) == 2U);
  BOOST_TEST(link.count(MessageType::kCheckpointed) == 1U);
  BOOST_TEST(link.count(MessageType::kFinished) == 1U);
  BOOST_TEST(link.count(MessageType::kLeave) == 1U);
}

BOOST_AUTO_TEST_CASE(a_new_control_connection_says_again_which_checkpoint_was_found) {
  begin();
  training().foundCheckpoint(300);
  const wire::Header said = link.sent.back().header;
  BOOST_TEST((said.type == MessageType::kCheckpointed));
  BOOST_TEST(said.step == 300);
  BOOST_TEST(said.value == 1U);
  link.sent.clear();
  member.onPeerDown(kControl, "broken");
  member.onPeerUp(kControl);
  BOOST_TEST(link.count(MessageType::kCheckpointed) == 1U);
  BOOST_TEST(link.sent.back().header.value == 1U);
}

BOOST_AUTO_TEST_CASE(hears_that_all_have_the_same_weights) {
  begin();
  training().reportWeights(100, 1);
  BOOST_TEST(agreed.empty());
  control(MessageType::kWeightsCrc, {}, 100);
  BOOST_TEST((agreed == std::vector<Step>{100}));
}

BOOST_AUTO_TEST_CASE(ends_once_with_what_the_coordinator_says) {
  begin();
  control(MessageType::kComplete, "{}");
  control(MessageType::kAbort, "late");
  BOOST_TEST((link.sent.back().header.type == MessageType::kGoodbye));
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 0);
  BOOST_TEST(ends[0].second == "{}");
}

BOOST_AUTO_TEST_CASE(a_coordinator_that_was_started_again_is_another_one) {
  begin();
  Header header = fromServer(MessageType::kRoster);
  header.sender.incarnation = 201;

  member.onMessage(kControl, header, link::makePayload(asBytes(toJson(roster(1)))));

  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((ends[0].first == ExitCode::kLostPeers));
}

BOOST_AUTO_TEST_CASE(a_refusal_is_a_bad_configuration) {
  control(MessageType::kRefuse, "batchSize: worker 0 has 64, the job has 128");
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 78);
}

BOOST_AUTO_TEST_CASE(leaving_before_anyone_answered_needs_nobody) {
  RecordingLink other;
  JobMember alone(identity(), {.training = TrainingRole{.plan = &plan, .trainer = this}}, other);
  alone.start(now);
  alone.leave();
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 143);
}

BOOST_AUTO_TEST_CASE(leaving_before_the_coordinator_has_spoken_says_goodbye) {
  member.leave();
  BOOST_TEST(link.count(MessageType::kLeave) == 1U);
  BOOST_TEST((link.sent.back().header.type == MessageType::kGoodbye));
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((ends[0].first == ExitCode::kStopped));
}

// An earlier attempt's coordinator, or who has its address by now: refused as another job.
BOOST_AUTO_TEST_CASE(whoever_does_not_answer_at_first_is_left_and_its_name_looked_up_again) {
  for (int seconds = 1; seconds <= 4; ++seconds)
    member.onTick(now += std::chrono::seconds(1));
  BOOST_TEST(link.reconnected.empty());

  member.onTick(now += std::chrono::seconds(1));
  member.onTick(now += std::chrono::seconds(60));

  BOOST_TEST((link.reconnected == std::vector<Peer>{kControl}));
  BOOST_TEST(ends.empty());
  BOOST_TEST(!member.view().connected);
  member.onPeerUp(kControl);
  BOOST_TEST(link.count(MessageType::kJoin) == 2U);
  BOOST_TEST(!member.view().connected);  // not before it speaks
  control(MessageType::kHeartbeat);
  BOOST_TEST(member.view().connected);
}

BOOST_AUTO_TEST_CASE(a_coordinator_that_has_spoken_is_lost_when_it_falls_silent) {
  control(MessageType::kHeartbeat);
  for (int tick = 0; tick < 8; ++tick)
    member.onTick(now += std::chrono::milliseconds(500));
  BOOST_TEST(link.reconnected.empty());
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((ends[0].first == ExitCode::kLostPeers));
}

BOOST_AUTO_TEST_CASE(a_lane_that_cannot_be_used_ends_the_job_and_both_ends_are_named) {
  begin();
  member.onSuspected(kData, "nothing was heard");
  member.onSuspected(kData, "nothing was heard");

  BOOST_TEST_REQUIRE(ends.size() == 1U);
  const std::string& text = ends[0].second;
  BOOST_TEST((ends[0].first == ExitCode::kLostPeers));
  BOOST_TEST(text.find("worker 0 and server 0 (nothing was heard)") != std::string::npos, text);
  BOOST_TEST((link.sent.back().header.type == MessageType::kAbort));
  BOOST_TEST(link.sent.back().header.value == 75U);
  BOOST_TEST(asText(link.sent.back().payload) == text);
}

BOOST_AUTO_TEST_CASE(a_lane_that_cannot_be_used_ends_no_stop_that_needs_no_sum) {
  begin();
  control(MessageType::kCommit, {}, 0, 2);  // at once, with a checkpoint, which takes its time
  member.onSuspected(kData, "nothing was heard");
  BOOST_TEST(ends.empty());
}

// As in its last evaluation, when a worker that sums is through and gone.
BOOST_AUTO_TEST_CASE(a_lane_that_cannot_be_used_ends_nothing_after_the_last_step) {
  begin();
  submit(1);
  sum(1);
  training().reportWeights(1, 7, {}, /*is_last=*/true);
  member.onSuspected(kData, "nothing was heard");
  BOOST_TEST(ends.empty());
  BOOST_TEST(link.sent.back().header.first == 1U);
}

BOOST_AUTO_TEST_CASE(heartbeats_tell_what_the_trainer_does) {
  begin();
  member.tellWork({17, /*works=*/true, {5, 1234}});
  member.onTick(now += std::chrono::milliseconds(250));
  BOOST_TEST((link.sent.back().header.type == MessageType::kHeartbeat));
  BOOST_TEST(link.sent.back().header.first == 17U);
  BOOST_TEST(link.sent.back().header.count == 1U);
  BOOST_TEST(link.sent.back().header.step == 5);
  BOOST_TEST(link.sent.back().header.range == 1234U);
  member.tellWork({17, /*works=*/false});
  member.onTick(now += std::chrono::milliseconds(250));
  BOOST_TEST(link.sent.back().header.count == 0U);
}

BOOST_AUTO_TEST_CASE(strangers_other_jobs_and_unknown_types_are_ignored) {
  begin();
  submit(1);
  Header header = fromServer(MessageType::kAbort);
  header.job = 8;
  member.onMessage(kControl, header, {});
  member.onMessage({{Role::kWorker, 1}, Lane::kControl}, fromServer(MessageType::kAbort), {});
  member.onMessage({{Role::kServer, 5}, Lane::kData}, fromServer(MessageType::kSum), {});
  member.onMessage(kControl, fromServer(static_cast<MessageType>(250)), {});
  header = fromServer(MessageType::kSum);
  header.sender.incarnation = 1;
  header.step = 1;
  header.count = 101;
  member.onMessage(kData, header, link::makePayload(Bytes(404)));
  BOOST_TEST(ends.empty());
  BOOST_TEST(sums.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::training_test
