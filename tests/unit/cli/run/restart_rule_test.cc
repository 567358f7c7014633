#include "cli/run/restart_rule.h"

#include <csignal>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::cli::restart_rule_test {
namespace {

using std::chrono::seconds;

constexpr Slot kServer0{Role::kServer, 0};
constexpr Slot kWorker0{Role::kWorker, 0};
constexpr Slot kWorker1{Role::kWorker, 1};
constexpr Ending kKilled{0, SIGKILL};
constexpr Ending kLost{75, 0};

/// All train.
RestartRule training(int most) {
  RestartRule rule(most);
  rule.rosterBegan({kServer0, kWorker0, kWorker1});
  return rule;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(restart_rule)

BOOST_AUTO_TEST_CASE(starts_a_member_again_after_0_then_1_then_5_s_and_no_more) {
  auto rule = training(3);
  int number = 0;
  for (const auto pause : {seconds(0), seconds(1), seconds(5)}) {
    const auto again = rule.ended(kWorker1, kKilled);
    BOOST_REQUIRE(again.has_value());
    BOOST_TEST((again->pause == pause));
    BOOST_TEST(again->number == ++number);
    BOOST_TEST(again->most == 3);
  }
  BOOST_TEST(!rule.ended(kWorker1, kKilled).has_value());
  BOOST_TEST(rule.restartsOf(kWorker1) == 3);
}

BOOST_AUTO_TEST_CASE(waits_5_s_before_each_later_one) {
  auto rule = training(100);
  for (int i = 0; i < 99; ++i)
    rule.ended(kWorker1, kKilled);
  BOOST_TEST((rule.ended(kWorker1, kKilled)->pause == seconds(5)));
}

BOOST_AUTO_TEST_CASE(starts_nobody_again_where_0_are_allowed) {
  BOOST_TEST(!training(0).ended(kWorker1, kKilled).has_value());
}

BOOST_AUTO_TEST_CASE(counts_anew_once_the_job_has_done_a_step_with_the_member) {
  auto rule = training(1);
  rule.ended(kWorker1, kKilled);
  rule.rosterBegan({kServer0, kWorker0, kWorker1});
  rule.stepDone(1);

  BOOST_TEST(rule.ended(kWorker1, kKilled)->number == 1);
}

// Or one that is killed each time it starts would be started for ever, as the others train on.
BOOST_AUTO_TEST_CASE(what_the_others_do_without_a_member_is_no_progress_of_it) {
  auto rule = training(2);
  rule.ended(kWorker1, kKilled);
  rule.stepDone(1);
  rule.rosterBegan({kServer0, kWorker0});
  rule.stepDone(2);

  BOOST_TEST(rule.ended(kWorker1, kKilled)->number == 2);
  BOOST_TEST(rule.restartsOf(kWorker0) == 0);
}

// All workers are killed: the job ends, and with it their next processes.
BOOST_AUTO_TEST_CASE(one_event_costs_a_member_one_restart) {
  auto rule = training(2);
  BOOST_TEST(rule.ended(kWorker1, kKilled)->number == 1);
  BOOST_TEST(rule.ended(kWorker1, kLost)->number == 1);
  BOOST_TEST(rule.ended(kWorker1, kLost)->number == 2);  // of another event
  BOOST_TEST(!rule.ended(kWorker1, kLost).has_value());
}

BOOST_AUTO_TEST_CASE(a_loss_after_the_member_was_in_another_roster_is_another_event) {
  auto rule = training(2);
  rule.ended(kWorker1, kKilled);
  rule.rosterBegan({kServer0, kWorker0, kWorker1});
  BOOST_TEST(rule.ended(kWorker1, kLost)->number == 2);
}

// A job that resumes from a checkpoint and always crashes at the same step would never end.
BOOST_AUTO_TEST_CASE(a_step_that_was_done_before_is_no_progress) {
  auto rule = training(2);
  rule.stepDone(10);
  rule.ended(kWorker1, kKilled);
  rule.rosterBegan({kServer0, kWorker0, kWorker1});
  rule.stepDone(9);
  rule.stepDone(10);
  BOOST_TEST(rule.ended(kWorker1, kKilled)->number == 2);

  rule.rosterBegan({kServer0, kWorker0, kWorker1});
  rule.stepDone(11);
  BOOST_TEST(rule.ended(kWorker1, kKilled)->number == 1);
}

BOOST_AUTO_TEST_CASE(a_member_that_knew_why_it_ended_ends_the_run) {
  for (const int code : {1, 2, 78}) {
    RestartRule rule(3);
    BOOST_TEST(!rule.ended(kWorker1, {code, 0}).has_value(), code);
  }
  for (const int code : {74, 75, 134, 143, 127}) {
    RestartRule rule(3);
    BOOST_TEST(rule.ended(kWorker1, {code, 0}).has_value(), code);
  }
  BOOST_TEST(!training(3).ended(kWorker1, {1, 0}).has_value());
  BOOST_TEST(training(3).ended(kWorker1, {78, 0}).has_value());  // another machine's fault, perhaps
}

BOOST_AUTO_TEST_CASE(says_who_is_started_again_and_why) {
  std::string said;
  for (const Ending ending : {kKilled, Ending{75, 0}}) {
    auto rule = training(3);
    for (int i = 0; i < 3; ++i)
      said += rule.ended(kWorker1, ending)->text() + "\n";
  }
  test::checkGolden("cli/run/restarts.txt", said);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::restart_rule_test
