#include "exchange/client/inbox.h"

#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::worker::inbox_test {
namespace {

const std::vector<float> kValues{1.0F, 2.0F};

Roster rosterOf(std::uint32_t generation, Step start = 0) {
  Roster roster;
  roster.order = {1, generation};
  roster.start_step = start;
  return roster;
}

bool isSum(const Inbox& inbox, Step step) {
  const auto came = inbox.sumOf(step);
  return came && std::holds_alternative<Sum>(*came);
}

bool isStop(const Inbox& inbox, Step step) {
  const auto came = inbox.sumOf(step);
  return came && std::holds_alternative<StopAfter>(*came);
}

bool isEnd(const Inbox& inbox, Step step) {
  const auto came = inbox.sumOf(step);
  return came && std::holds_alternative<ProcessEnd>(*came);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(inbox)

BOOST_AUTO_TEST_CASE(a_wait_for_a_sum_ends_with_the_sum_of_that_step_only) {
  Inbox inbox;
  BOOST_TEST(!inbox.sumOf(3).has_value());
  inbox.onSum(2, kValues);
  BOOST_TEST(!inbox.sumOf(3).has_value());
  inbox.onSum(3, kValues);
  BOOST_TEST(isSum(inbox, 3));
}

BOOST_AUTO_TEST_CASE(a_wait_for_a_step_beyond_the_last_one_ends) {
  Inbox inbox;
  inbox.onStop({.after = 3});
  BOOST_TEST(!inbox.sumOf(3).has_value());
  BOOST_TEST(isStop(inbox, 4));
  inbox.onStop({.after = 0, .writes = true});
  BOOST_TEST(isStop(inbox, 3));
  BOOST_TEST(inbox.stopOrder().after.value() == 0);
  BOOST_TEST(inbox.stopOrder().writes);
}

BOOST_AUTO_TEST_CASE(a_sum_that_came_before_the_stop_is_used) {
  Inbox inbox;
  inbox.onSum(3, kValues);
  inbox.onStop({.after = 0});
  BOOST_TEST(isSum(inbox, 3));
}

BOOST_AUTO_TEST_CASE(the_end_of_the_job_comes_before_everything) {
  Inbox inbox;
  inbox.onSum(3, kValues);
  inbox.onEnd(ExitCode::kLostPeers, "lost worker 1");
  BOOST_TEST(isEnd(inbox, 3));
  inbox.onEnd(ExitCode::kDone, "later");
  BOOST_TEST(inbox.end()->reason == "lost worker 1");
}

BOOST_AUTO_TEST_CASE(ranges_have_come_of_that_step_one_after_the_other) {
  Inbox inbox;
  BOOST_TEST(inbox.partialSumOf(3, 0, 4).ranges == 0U);
  inbox.onPartialSum(3, {.range = 2, .ranges = 1}, kValues);
  BOOST_TEST(inbox.partialSumOf(3, 0, 4).ranges == 0U);
  BOOST_TEST(inbox.partialSumOf(3, 2, 4).ranges == 1U);
  inbox.onPartialSum(3, {.range = 0, .ranges = 2}, kValues);
  BOOST_TEST(inbox.partialSumOf(3, 0, 4).ranges == 3U);
  BOOST_TEST(inbox.partialSumOf(3, 0, 2).ranges == 2U);
  BOOST_TEST(inbox.partialSumOf(3, 3, 4).ranges == 0U);
  BOOST_TEST(inbox.partialSumOf(3, 1, 4).values.data() == kValues.data());
  BOOST_TEST(inbox.partialSumOf(2, 0, 4).ranges == 0U);
  inbox.onPartialSum(4, {.range = 1, .ranges = 1}, kValues);
  BOOST_TEST(inbox.partialSumOf(4, 0, 4).ranges == 0U);
  BOOST_TEST(inbox.partialSumOf(3, 0, 4).ranges == 0U);
}

BOOST_AUTO_TEST_CASE(a_step_that_is_not_to_be_finished_is_over_though_some_sums_came) {
  Inbox inbox;
  inbox.onPartialSum(3, {.range = 0, .ranges = 1}, kValues);
  BOOST_TEST(!inbox.isOver(3));
  inbox.onStop({.after = 3});
  BOOST_TEST(!inbox.isOver(3));
  inbox.onStop({.after = 2});
  BOOST_TEST(inbox.isOver(3));
  inbox.onSum(3, kValues);
  BOOST_TEST(!inbox.isOver(3));
  inbox.onEnd(ExitCode::kLostPeers, "lost worker 1");
  BOOST_TEST(inbox.isOver(3));
}

BOOST_AUTO_TEST_CASE(a_wait_for_a_roster_ends_with_a_newer_one_a_stop_or_the_end) {
  Inbox inbox;
  inbox.onStart(rosterOf(2), {});
  inbox.onStop({.after = 3, .halts = true});
  BOOST_TEST(!inbox.rosterAfter({1, 2}).has_value());
  BOOST_TEST(std::get<Start>(inbox.rosterAfter({1, 1}).value()).roster.order.generation == 2U);
  inbox.onStop({.after = 0});
  BOOST_TEST(std::get<StopAfter>(inbox.rosterAfter({1, 2}).value()).step == 0);
  inbox.onStart(rosterOf(3), {});
  BOOST_TEST(std::holds_alternative<Start>(inbox.rosterAfter({1, 2}).value()));
  inbox.onEnd(ExitCode::kLostPeers, "lost worker 1");
  BOOST_TEST(std::holds_alternative<ProcessEnd>(inbox.rosterAfter({1, 2}).value()));
}

BOOST_AUTO_TEST_CASE(a_wait_for_a_state_ends_with_it_unless_the_job_ends_or_halts_without_it) {
  Inbox inbox;
  inbox.onStart(rosterOf(2, /*start=*/8), {});
  inbox.onStop({.after = 9, .halts = true});
  BOOST_TEST(!inbox.state().has_value());  // the step after it needs it
  inbox.onStop({.after = 8, .halts = true});
  BOOST_TEST(std::holds_alternative<StopAfter>(inbox.state().value()));
  inbox.onState(StateArrival::kWhole);
  BOOST_TEST((std::get<StateArrival>(inbox.state().value()) == StateArrival::kWhole));
  inbox.onStart(rosterOf(3, /*start=*/8), {});
  BOOST_TEST(!inbox.state().has_value());
  inbox.onEnd(ExitCode::kLostPeers, "lost worker 1");
  BOOST_TEST(std::holds_alternative<ProcessEnd>(inbox.state().value()));
}

BOOST_AUTO_TEST_CASE(a_halt_is_no_end_and_is_over_with_the_next_roster) {
  Inbox inbox;
  inbox.onStart(rosterOf(2), {});
  inbox.onSum(3, kValues);
  inbox.onPartialSum(4, {.range = 0, .ranges = 1}, kValues);
  inbox.onWeightsAgreed(3);
  inbox.onStop({.after = 3, .halts = true});
  BOOST_TEST(!inbox.isEnding());
  BOOST_TEST(inbox.isHalting());
  BOOST_TEST(!inbox.mustHaltAfter(2));
  BOOST_TEST(inbox.mustHaltAfter(3));
  inbox.onStop({.after = 3});
  BOOST_TEST(inbox.isEnding());
  BOOST_TEST(!inbox.isHalting());
  BOOST_TEST(!inbox.mustHaltAfter(3));
  inbox.onStart(rosterOf(3), {});
  BOOST_TEST(!inbox.isEnding());
  BOOST_TEST(!inbox.sumOf(3).has_value());
  BOOST_TEST(!inbox.sumOf(4).has_value());
  BOOST_TEST(inbox.partialSumOf(4, 0, 1).ranges == 0U);
  BOOST_TEST(inbox.isAgreed(3));  // of whichever roster
}

BOOST_AUTO_TEST_CASE(waits_beside_a_step_end_with_what_they_are_for_with_a_halt_or_with_the_job) {
  Inbox inbox;
  BOOST_TEST(!inbox.joined().has_value());
  inbox.onStart(rosterOf(2), {});
  BOOST_TEST(std::holds_alternative<Start>(inbox.joined().value()));
  BOOST_TEST(!inbox.agreement(3).has_value());
  BOOST_TEST(!inbox.endOrHalt().has_value());
  inbox.onStop({.after = 3, .halts = true});
  BOOST_TEST(!inbox.agreement(2).has_value());
  BOOST_TEST(std::get<StopAfter>(inbox.agreement(3).value()).step == 3);
  BOOST_TEST(std::get<StopAfter>(inbox.endOrHalt().value()).step == 3);
  inbox.onWeightsAgreed(3);
  BOOST_TEST(std::holds_alternative<Agreed>(inbox.agreement(3).value()));
  inbox.onEnd(ExitCode::kLostPeers, "lost worker 1");
  BOOST_TEST(std::holds_alternative<Agreed>(inbox.agreement(3).value()));
  BOOST_TEST(std::holds_alternative<ProcessEnd>(inbox.agreement(4).value()));
  BOOST_TEST(std::holds_alternative<ProcessEnd>(inbox.endOrHalt().value()));
  BOOST_TEST(std::holds_alternative<ProcessEnd>(inbox.joined().value()));
}

BOOST_AUTO_TEST_CASE(an_agreement_is_about_the_newest_step_although_older_ones_are_repeated) {
  Inbox inbox;
  inbox.onWeightsAgreed(4);
  inbox.onWeightsAgreed(2);
  BOOST_TEST(inbox.isAgreed(4));
  BOOST_TEST(!inbox.isAgreed(2));
  inbox.onWeightsAgreed(6);
  BOOST_TEST(!inbox.isAgreed(4));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::inbox_test
