#include <algorithm>
#include <cmath>
#include <string>

#include <boost/test/unit_test.hpp>

#include "planner/advice/advice_parts.h"
#include "planner/advice/advise.h"
#include "tests/unit/planner/advice/questions.h"

namespace sumac::planner {
namespace {

Advice answerOf(const AdviceQuestion& question) {
  auto advice = advise(question);
  BOOST_TEST_REQUIRE(advice.has_value(), (advice ? "" : advice.error().message));
  BOOST_TEST_REQUIRE(advice->recommended.has_value());
  return *std::move(advice);
}

auto find(const Advice& advice, Condition condition) {
  return std::ranges::find_if(advice.changes, [condition](const Change& change) {
    return change.trial.condition == condition;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sensitivity)

BOOST_AUTO_TEST_CASE(where_no_configuration_keeps_the_limits_there_is_no_choice) {
  AdviceQuestion question = aQuestion();
  question.deadline_seconds = answerOf(question).configurations.front().seconds * 1.1;

  const Advice advice = answerOf(question);

  const auto slow = find(advice, Condition::kComputeTwice);
  BOOST_TEST_REQUIRE((slow != advice.changes.end()));
  BOOST_TEST(!slow->choice.has_value());
}

BOOST_AUTO_TEST_CASE(the_rate_that_is_told_is_one_that_was_tried) {
  constexpr double kLimit = 1e10;  // beyond what the processors send
  AdviceQuestion question = aQuestion();
  question.link_bytes_per_second = aFigure(kLimit);

  const Advice advice = answerOf(question);

  const auto told = find(advice, Condition::kLinksOrLess);
  BOOST_TEST_REQUIRE((told != advice.changes.end()));
  const double quarters = 4 * std::log2(kLimit / told->trial.amount);
  BOOST_TEST(std::abs(quarters - std::round(quarters)) < 1e-9);
  BOOST_TEST((quarters >= 1 && quarters <= 24));
}

BOOST_AUTO_TEST_CASE(a_price_changes_what_a_budget_allows_and_nothing_else) {
  const Trial twice{Condition::kPriceTwice};
  AdviceQuestion question = aQuestion();
  BOOST_TEST(std::ranges::count(answerOf(question).unchanged, twice) == 0);
  question.machine = aMachine();
  const Advice without_limit = answerOf(question);
  BOOST_TEST(std::ranges::count(without_limit.unchanged, twice) == 1);

  const double cost = without_limit.configurations[*without_limit.recommended].cost.value();
  question.budget = 1.5 * cost;
  const Advice advice = answerOf(question);

  BOOST_TEST((find(advice, Condition::kPriceTwice) != advice.changes.end()));
  BOOST_TEST(std::ranges::count(advice.unchanged, Trial{Condition::kPriceHalf}) == 1);
}

BOOST_AUTO_TEST_CASE(a_latency_that_nobody_gives_is_noted_and_varied) {
  AdviceQuestion question = aQuestion();
  question.link_bytes_per_second = aFigure(1.25e9);
  const Advice unknown = answerOf(question);
  const auto told = find(unknown, Condition::kLatencyOrMore);
  BOOST_TEST_REQUIRE((told != unknown.changes.end()));
  BOOST_TEST(told->choice->members() <
             unknown.configurations[*unknown.recommended].choice.members());
  BOOST_TEST(std::ranges::count(unknown.notes, NoteKind::kLoopbackLatency, &Note::kind) == 1);

  question.hop_seconds = aFigure(1e-2);
  const Advice slow = answerOf(question);
  BOOST_TEST((slow.configurations[*slow.recommended].choice == *told->choice));
  BOOST_TEST(std::ranges::count(slow.notes, NoteKind::kLoopbackLatency, &Note::kind) == 0);

  question.place = Placement::kHere;
  question.hop_seconds.reset();
  const Advice here = answerOf(question);
  BOOST_TEST((find(here, Condition::kLatencyOrMore) == here.changes.end()));
  const auto tries = [&question](Condition condition) {
    const Advice advice = answerOf(question);
    return find(advice, condition) != advice.changes.end() ||
           std::ranges::count(advice.unchanged, condition, &Trial::condition) > 0;
  };
  BOOST_TEST(tries(Condition::kLinksHalf));
  question.link_bytes_per_second.reset();  // one machine has no links
  BOOST_TEST(!tries(Condition::kLinksHalf));
  BOOST_TEST(tries(Condition::kComputeHalf));
}

BOOST_AUTO_TEST_CASE(of_efficiency_no_more_than_all_is_lost) {
  AdviceQuestion question = aQuestion();
  question.goal = PlanGoal::kEfficiency;
  question.deadline_seconds = answerOf(aQuestion()).configurations.front().seconds * 1.2;

  for (const Change& change : answerOf(question).changes) {
    if (change.choice) BOOST_TEST(change.behind <= 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner
