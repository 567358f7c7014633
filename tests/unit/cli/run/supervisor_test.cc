#include "cli/run/supervisor.h"

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/cli/run/supervised_members.h"

namespace sumac::cli::supervisor_test {
namespace {

/// And all have joined.
Supervisor running() {
  auto supervisor = starting();
  supervisor.rosterBegan({kServer0, kWorker0, kWorker1});
  return supervisor;
}

int codeWhenAllEnd(Supervisor supervisor, Slot first, Ending ending) {
  supervisor.ended(first, ending, kStart);
  for (const Slot slot : {kServer0, kWorker0, kWorker1})
    supervisor.ended(slot, kLost, kStart);
  return toInt(supervisor.exitCode());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(supervisor)

BOOST_AUTO_TEST_CASE(starts_server_0_first_and_the_others_when_it_listens) {
  Supervisor supervisor(2, 2);

  const auto first = supervisor.start(kStart);
  const auto others = supervisor.ready(kStart);

  BOOST_REQUIRE(first.size() == 1U);
  BOOST_TEST((first[0] == Action{Action::Kind::kStart, kServer0}));
  BOOST_REQUIRE(others.size() == 3U);
  BOOST_TEST((others[0] == Action{Action::Kind::kStart, {Role::kServer, 1}}));
  BOOST_TEST((others[2] == Action{Action::Kind::kStart, kWorker1}));
  BOOST_TEST(!supervisor.deadline().has_value());
  BOOST_TEST(supervisor.ready(kStart).empty());  // said twice
}

BOOST_AUTO_TEST_CASE(is_done_when_all_ended_well) {
  auto supervisor = running();

  for (const Slot slot : {kWorker1, kServer0})
    supervisor.ended(slot, kClean, kStart);
  BOOST_TEST(!supervisor.isOver());
  supervisor.ended(kWorker0, kClean, kStart);

  BOOST_TEST(supervisor.isOver());
  BOOST_TEST(toInt(supervisor.exitCode()) == 0);
  BOOST_TEST(!supervisor.failure().has_value());
}

BOOST_AUTO_TEST_CASE(ends_the_others_at_once_when_one_cannot_run_the_job) {
  auto supervisor = running();

  supervisor.ended(kWorker0, {toInt(ExitCode::kBadConfiguration), 0}, kStart);

  BOOST_TEST(all(supervisor.tick(kStart), Action::Kind::kTerminate, 2));
  for (const Slot slot : {kServer0, kWorker1})
    supervisor.ended(slot, {toInt(ExitCode::kStopped), 0}, kStart);
  BOOST_TEST(toInt(supervisor.exitCode()) == toInt(ExitCode::kBadConfiguration));
  BOOST_TEST(failedBy(supervisor, Failure::Kind::kEnded, kWorker0));
}

BOOST_AUTO_TEST_CASE(is_over_half_a_second_after_a_member_failed_for_good) {
  for (const int code : {1, 2, 78, 134}) {
    BOOST_TEST_CONTEXT("exit code " << code) {
      auto supervisor = running();
      supervisor.ended(kWorker0, {code, 0}, kStart);

      BOOST_TEST(all(supervisor.tick(*supervisor.deadline()), Action::Kind::kTerminate, 2));
      const TimePoint last = *supervisor.deadline();
      BOOST_TEST(all(supervisor.tick(last), Action::Kind::kKill, 2));
      BOOST_TEST((last - kStart <= milliseconds(500)));
      supervisor.ended(kWorker1, kKilled, last);
      supervisor.ended(kServer0, kKilled, last);

      BOOST_TEST(toInt(supervisor.exitCode()) == code);
      BOOST_TEST((supervisor.failure()->slot == kWorker0));
    }
  }
}

BOOST_AUTO_TEST_CASE(waits_no_longer_once_it_knows_the_cause_of_a_loss) {
  auto supervisor = running();
  supervisor.ended(kServer0, kLost, kStart);
  supervisor.ended(kWorker1, {1, 0}, kStart + seconds(1));

  BOOST_TEST(
      all(supervisor.tick(kStart + seconds(1) + milliseconds(200)), Action::Kind::kTerminate, 1));
}

// The others wait for another process of its slot, and nobody starts one.
BOOST_AUTO_TEST_CASE(ends_the_others_at_once_when_one_is_lost_before_all_have_joined) {
  auto supervisor = starting();

  supervisor.ended(kWorker1, kKilled, kStart);

  BOOST_TEST(all(supervisor.tick(kStart), Action::Kind::kTerminate, 2));
  for (const Slot slot : {kServer0, kWorker0})
    supervisor.ended(slot, {toInt(ExitCode::kStopped), 0}, kStart);
  BOOST_TEST(supervisor.isOver());
  BOOST_TEST(toInt(supervisor.exitCode()) == 75);
  BOOST_TEST(failedBy(supervisor, Failure::Kind::kEnded, kWorker1));
}

BOOST_AUTO_TEST_CASE(names_the_cause_of_an_early_loss_even_when_a_follower_is_noticed_first) {
  auto supervisor = starting();

  supervisor.ended(kWorker0, kLost, kStart);
  BOOST_TEST(supervisor.tick(kStart).empty());
  supervisor.ended(kWorker1, kKilled, kStart);

  BOOST_TEST(all(supervisor.tick(kStart), Action::Kind::kTerminate, 1));
  BOOST_TEST(failedBy(supervisor, Failure::Kind::kEnded, kWorker1));
}

BOOST_AUTO_TEST_CASE(lets_a_dispensable_member_end_as_it_will) {
  for (const Ending ending : {kKilled, kLost, kClean}) {
    auto supervisor = running();
    supervisor.dispensable(kWorker1);

    BOOST_TEST(supervisor.ended(kWorker1, ending, kStart).empty());
    BOOST_TEST(supervisor.tick(kStart + seconds(6)).empty());
    for (const Slot slot : {kWorker0, kServer0})
      supervisor.ended(slot, kClean, kStart + seconds(30));

    BOOST_TEST(supervisor.isOver());
    BOOST_TEST(toInt(supervisor.exitCode()) == 0);
    BOOST_TEST(!supervisor.failure().has_value());
  }
}

BOOST_AUTO_TEST_CASE(gives_up_on_a_server_that_does_not_say_where_it_listens) {
  Supervisor supervisor(1, 1);
  supervisor.start(kStart);

  BOOST_TEST(supervisor.tick(kStart + seconds(10) - milliseconds(1)).empty());
  const auto actions = supervisor.tick(kStart + seconds(10));

  BOOST_TEST(all(actions, Action::Kind::kTerminate, 1));
  BOOST_TEST(supervisor.ready(kStart + seconds(10)).empty());  // too late
  supervisor.ended(kServer0, {143, 0}, kStart + seconds(11));
  BOOST_TEST(supervisor.isOver());
  BOOST_TEST(toInt(supervisor.exitCode()) == 1);
  BOOST_TEST(failedBy(supervisor, Failure::Kind::kNotReady, kServer0));
}

BOOST_AUTO_TEST_CASE(gives_a_program_ten_minutes_to_load_before_it_joins) {
  Supervisor supervisor(0, 2, std::nullopt, /*has_program=*/true);
  supervisor.start(kStart);

  BOOST_TEST(supervisor.tick(kStart + seconds(599)).empty());
  supervisor.tick(kStart + seconds(600));

  BOOST_TEST(failedBy(supervisor, Failure::Kind::kNotReady, kWorker0));
  Supervisor with_server(1, 2, std::nullopt, /*has_program=*/true);
  with_server.start(kStart);
  with_server.tick(kStart + seconds(10));
  BOOST_TEST(failedBy(with_server, Failure::Kind::kNotReady, kServer0));
}

BOOST_AUTO_TEST_CASE(takes_even_a_clean_end_before_the_start_as_a_failure) {
  Supervisor supervisor(1, 1);
  supervisor.start(kStart);

  supervisor.ended(kServer0, kClean, kStart);

  BOOST_TEST(supervisor.isOver());
  BOOST_TEST(toInt(supervisor.exitCode()) == 1);
}

BOOST_AUTO_TEST_CASE(lets_the_others_end_by_themselves_then_terminates_then_kills) {
  auto supervisor = running();

  BOOST_TEST(supervisor.ended(kWorker1, kKilled, kStart).empty());
  BOOST_TEST(supervisor.tick(kStart + seconds(5) - milliseconds(1)).empty());
  BOOST_TEST(all(supervisor.tick(kStart + seconds(5)), Action::Kind::kTerminate, 2));
  BOOST_TEST(supervisor.tick(kStart + seconds(8) - milliseconds(1)).empty());
  BOOST_TEST(all(supervisor.tick(kStart + seconds(8)), Action::Kind::kKill, 2));
  BOOST_TEST(!supervisor.isOver());
  supervisor.ended(kWorker0, kKilled, kStart);
  supervisor.ended(kServer0, kKilled, kStart);

  BOOST_TEST(supervisor.isOver());
  BOOST_TEST(toInt(supervisor.exitCode()) == 75);
  BOOST_TEST((supervisor.failure()->slot == kWorker1));
}

BOOST_AUTO_TEST_CASE(names_the_cause_even_when_a_follower_is_noticed_first) {
  auto supervisor = running();

  supervisor.ended(kServer0, kLost, kStart);
  supervisor.ended(kWorker1, {1, 0}, kStart);
  supervisor.ended(kWorker0, {78, 0}, kStart);

  BOOST_TEST((supervisor.failure()->slot == kWorker1));
  BOOST_TEST(toInt(supervisor.exitCode()) == 1);
}

BOOST_AUTO_TEST_CASE(does_not_blame_a_member_that_it_terminated) {
  auto supervisor = running();
  supervisor.ended(kWorker0, kLost, kStart);
  supervisor.tick(kStart + seconds(5));

  supervisor.ended(kWorker1, {1, 0}, kStart + seconds(6));

  BOOST_TEST((supervisor.failure()->slot == kWorker0));
}

BOOST_AUTO_TEST_CASE(turns_endings_into_exit_codes) {
  const std::pair<Ending, int> cases[] = {
      {{1, 0}, 1},        {{2, 0}, 2},         {{75, 0}, 75},       {{78, 0}, 78},
      {{134, 0}, 134},    {{0, SIGABRT}, 134}, {{0, SIGSEGV}, 134}, {{0, SIGKILL}, 75},
      {{0, SIGTERM}, 75}, {{143, 0}, 143},     {{127, 0}, 1},       {{255, 0}, 1},
  };
  for (const auto& [ending, code] : cases) {
    BOOST_TEST(codeWhenAllEnd(running(), kWorker0, ending) == code, ending.text());
  }
}

BOOST_AUTO_TEST_CASE(waits_for_a_slow_member_at_the_end_but_not_for_ever) {
  auto supervisor = running();
  supervisor.ended(kServer0, kClean, kStart);
  supervisor.ended(kWorker0, kClean, kStart + seconds(1));

  BOOST_TEST(supervisor.tick(kStart + seconds(59)).empty());
  BOOST_TEST(all(supervisor.tick(kStart + seconds(60)), Action::Kind::kTerminate, 1));

  supervisor.ended(kWorker1, kClean, kStart + seconds(61));
  BOOST_TEST(toInt(supervisor.exitCode()) == 1);
  BOOST_TEST(failedBy(supervisor, Failure::Kind::kDidNotEnd, kWorker1));
}

BOOST_AUTO_TEST_CASE(asks_all_to_stop_at_the_first_signal_and_kills_within_15_s) {
  auto supervisor = running();

  BOOST_TEST(all(supervisor.signalled(SIGINT, kStart), Action::Kind::kTerminate, 3));
  supervisor.ended(kWorker0, {143, 0}, kStart);
  BOOST_TEST(supervisor.tick(kStart + milliseconds(14'499)).empty());
  BOOST_TEST(all(supervisor.tick(kStart + milliseconds(14'500)), Action::Kind::kKill, 2));
  supervisor.ended(kWorker1, kKilled, kStart);
  supervisor.ended(kServer0, kKilled, kStart);

  BOOST_TEST(toInt(supervisor.exitCode()) == 130);
  BOOST_TEST(!supervisor.failure().has_value());
  BOOST_TEST((supervisor.unanswered() == std::vector<Slot>{kServer0, kWorker1}));
}

// A checkpoint that could not be written, or a crash: not an ordinary stop.
BOOST_AUTO_TEST_CASE(a_failure_in_a_stop_is_a_failure) {
  const std::pair<Ending, int> cases[] = {
      {{1, 0}, 1},         {{74, 0}, 74},     {{0, SIGSEGV}, 134}, {{134, 0}, 134},
      {{0, SIGKILL}, 75},  {{75, 0}, 130},    {{143, 0}, 130},     {{0, 0}, 130},
      {{0, SIGTERM}, 130}, {{0, SIGINT}, 130}};
  for (const auto& [ending, code] : cases) {
    auto supervisor = running();
    supervisor.signalled(SIGINT, kStart);
    supervisor.ended(kServer0, kLost, kStart);
    supervisor.ended(kWorker0, ending, kStart);
    supervisor.ended(kWorker1, {143, 0}, kStart);
    BOOST_TEST(toInt(supervisor.exitCode()) == code, ending.text());
    BOOST_TEST(supervisor.failure().has_value() == (code != 130));
    if (supervisor.failure()) BOOST_TEST((supervisor.failure()->slot == kWorker0));
  }
}

BOOST_AUTO_TEST_CASE(kills_who_outlives_the_coordinator_in_a_stop) {
  auto supervisor = running();
  supervisor.signalled(SIGTERM, kStart);
  supervisor.ended(kWorker0, {143, 0}, kStart + seconds(3));
  supervisor.ended(kServer0, {143, 0}, kStart + seconds(4));

  BOOST_TEST(supervisor.tick(kStart + seconds(9) - milliseconds(1)).empty());
  BOOST_TEST(all(supervisor.tick(kStart + seconds(9)), Action::Kind::kKill, 1));
  BOOST_TEST((supervisor.unanswered() == std::vector<Slot>{kWorker1}));
}

BOOST_AUTO_TEST_CASE(kills_at_once_at_the_second_signal) {
  auto supervisor = running();
  supervisor.signalled(SIGTERM, kStart);

  BOOST_TEST(all(supervisor.signalled(SIGINT, kStart), Action::Kind::kKill, 3));

  for (const Slot slot : {kServer0, kWorker0, kWorker1})
    supervisor.ended(slot, kKilled, kStart);
  BOOST_TEST(toInt(supervisor.exitCode()) == 143);
  BOOST_TEST(supervisor.unanswered().empty());  // they had no time
}

BOOST_AUTO_TEST_CASE(kills_at_once_when_a_signal_comes_while_it_waits_after_a_loss) {
  auto supervisor = running();
  supervisor.ended(kWorker0, kKilled, kStart);

  BOOST_TEST(all(supervisor.signalled(SIGINT, kStart), Action::Kind::kKill, 2));
}

BOOST_AUTO_TEST_CASE(stops_before_the_server_listens) {
  Supervisor supervisor(1, 2);
  supervisor.start(kStart);

  BOOST_TEST(all(supervisor.signalled(SIGINT, kStart), Action::Kind::kTerminate, 1));
  BOOST_TEST(supervisor.ready(kStart).empty());
  supervisor.ended(kServer0, kClean, kStart);

  BOOST_TEST(supervisor.isOver());
  BOOST_TEST(toInt(supervisor.exitCode()) == 130);
}

BOOST_AUTO_TEST_CASE(is_done_when_the_signal_came_after_the_work) {
  auto supervisor = running();
  supervisor.ended(kServer0, kClean, kStart);
  supervisor.signalled(SIGINT, kStart);
  supervisor.ended(kWorker0, kClean, kStart);
  supervisor.ended(kWorker1, kClean, kStart);

  BOOST_TEST(toInt(supervisor.exitCode()) == 0);
}

BOOST_AUTO_TEST_CASE(ends_the_others_when_one_cannot_be_started) {
  auto supervisor = running();

  supervisor.notStarted(kWorker1, {ErrorCode::kNotFound, "no such file"}, kStart);

  BOOST_TEST(all(supervisor.tick(kStart + seconds(5)), Action::Kind::kTerminate, 2));
  BOOST_TEST(failedBy(supervisor, Failure::Kind::kNotStarted, kWorker1));
  BOOST_TEST(supervisor.failure()->detail == "no such file");
}

BOOST_AUTO_TEST_CASE(a_machine_that_cannot_start_a_member_is_no_fault_of_the_job) {
  for (const auto& [why, code] :
       {std::pair(ErrorCode::kNotFound, 1), std::pair(ErrorCode::kUnavailable, 74)}) {
    auto supervisor = running();
    supervisor.notStarted(kWorker1, {why, "no file, or none to be had"}, kStart);
    for (const Slot slot : {kServer0, kWorker0})
      supervisor.ended(slot, kKilled, kStart);

    BOOST_TEST(toInt(supervisor.exitCode()) == code);
  }
}

BOOST_AUTO_TEST_CASE(says_how_each_failure_came_about) {
  using Kind = Failure::Kind;
  std::string text;
  for (const Ending ending : {kClean, Ending{1, 0}, kLost, Ending{78, 0}, Ending{143, 0}, kKilled})
    text += Failure{Kind::kEnded, kWorker1, ending, {}}.text() + "\n";
  text += Failure{Kind::kEnded, kWorker1, kKilled, {}, {}, 3}.text() + "\n";
  for (const Kind kind : {Kind::kNotStarted, Kind::kNotReady, Kind::kDidNotEnd})
    text += Failure{kind, kWorker1, {}, kind == Kind::kNotReady ? "10 s" : "no such file"}.text() +
            "\n";
  test::checkGolden("cli/run/failures.txt", text);
}

BOOST_AUTO_TEST_CASE(a_program_that_ends_before_it_has_joined_ends_the_job) {
  Supervisor ours(1, 2);
  Supervisor users(1, 2, Supervisor::Changes{3}, /*has_program=*/true);
  for (Supervisor* const supervisor : {&ours, &users}) {
    supervisor->start(kStart);
    supervisor->ready(kStart);
    supervisor->ended(kWorker1, kClean, kStart);
  }
  BOOST_TEST(!ours.failure().has_value());
  BOOST_TEST(failedBy(users, Failure::Kind::kEnded, kWorker1));
  BOOST_TEST((users.failure()->code() == ExitCode::kFailed));

  Supervisor joined(1, 2, Supervisor::Changes{3}, /*has_program=*/true);
  joined.start(kStart);
  joined.ready(kStart);
  joined.rosterBegan({kServer0, kWorker0, kWorker1});
  joined.ended(kWorker1, kClean, kStart);
  BOOST_TEST(!joined.failure().has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::supervisor_test
