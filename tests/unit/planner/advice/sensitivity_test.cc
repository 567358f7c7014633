#include <algorithm>
#include <cmath>
#include <string>

#include <boost/test/unit_test.hpp>

#include "planner/advice/advice_parts.h"
#include "planner/advice/advise.h"
#include "planner/advice/texts.h"
#include "tests/unit/planner/advice/questions.h"

namespace sumac::planner {
namespace {

Advice answerOf(const AdviceQuestion& question) {
  auto advice = advise(question);
  BOOST_TEST_REQUIRE(advice.has_value(), (advice ? "" : advice.error().message));
  BOOST_TEST_REQUIRE(advice->recommended.has_value(), advice->no_plan);
  return *std::move(advice);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sensitivity)

BOOST_AUTO_TEST_CASE(where_no_way_keeps_the_limits_there_is_no_choice) {
  AdviceQuestion question = aQuestion();
  question.deadline_seconds = answerOf(question).ways.front().seconds * 1.1;

  const Advice advice = answerOf(question);

  const auto slow = std::ranges::find(advice.changes, "computing in twice the time", &Change::what);
  BOOST_TEST_REQUIRE((slow != advice.changes.end()));
  BOOST_TEST(!slow->choice.has_value());
  BOOST_TEST(slow->text.find("no way keeps all limits") != std::string::npos, slow->text);
}

BOOST_AUTO_TEST_CASE(the_rate_that_is_told_is_one_that_was_tried) {
  constexpr double kLimit = 1e10;  // beyond what the processors send
  AdviceQuestion question = aQuestion();
  question.link_bytes_per_second = aFigure(kLimit);

  const Advice advice = answerOf(question);

  const auto told = std::ranges::find_if(
      advice.changes, [](const Change& change) { return change.what.ends_with(" or less"); });
  BOOST_TEST_REQUIRE((told != advice.changes.end()));
  bool is_tried = false;
  for (int quarter = 1; quarter <= 24; ++quarter) {
    is_tried = is_tried || told->what.find(linkText(kLimit * std::exp2(-quarter / 4.0)) +
                                           " or less") != std::string::npos;
  }
  BOOST_TEST(is_tried, told->what);
}

BOOST_AUTO_TEST_CASE(a_price_changes_what_a_budget_allows_and_nothing_else) {
  const char* const what = "machines at twice their price";
  AdviceQuestion question = aQuestion();
  BOOST_TEST(std::ranges::count(answerOf(question).unchanged, what) == 0);
  question.machine = aMachine();
  const Advice without_limit = answerOf(question);
  BOOST_TEST(std::ranges::count(without_limit.unchanged, what) == 1);

  const double cost = without_limit.ways[*without_limit.recommended].cost.value();
  question.budget = 1.5 * cost;
  const Advice advice = answerOf(question);

  const auto dear = std::ranges::find(advice.changes, what, &Change::what);
  BOOST_TEST_REQUIRE((dear != advice.changes.end()));
  BOOST_TEST(std::ranges::count(advice.unchanged, "machines at half their price") == 1);
}

BOOST_AUTO_TEST_CASE(a_latency_that_nobody_gives_is_noted_and_varied) {
  const auto isOfLatency = [](const Change& change) {
    return change.what.starts_with("links with a latency of ");
  };
  AdviceQuestion question = aQuestion();
  question.link_bytes_per_second = aFigure(1.25e9);
  const Advice unknown = answerOf(question);
  const auto told = std::ranges::find_if(unknown.changes, isOfLatency);
  BOOST_TEST_REQUIRE((told != unknown.changes.end()));
  BOOST_TEST(told->choice->members() < unknown.ways[*unknown.recommended].choice.members());
  BOOST_TEST(std::ranges::count_if(unknown.notes, [](const std::string& note) {
               return note.starts_with("The latency of links is that of 127.0.0.1");
             }) == 1);

  question.hop_seconds = aFigure(1e-2);
  const Advice slow = answerOf(question);
  BOOST_TEST((slow.ways[*slow.recommended].choice == *told->choice));
  for (const std::string& note : slow.notes)
    BOOST_TEST(note.find("latency") == std::string::npos, note);

  question.place = Placement::kHere;
  question.hop_seconds.reset();
  BOOST_TEST(std::ranges::count_if(answerOf(question).changes, isOfLatency) == 0);
}

BOOST_AUTO_TEST_CASE(of_efficiency_no_more_than_all_is_lost) {
  AdviceQuestion question = aQuestion();
  question.goal = PlanGoal::kEfficiency;
  question.deadline_seconds = answerOf(aQuestion()).ways.front().seconds * 1.2;

  for (const Change& change : answerOf(question).changes) {
    if (change.choice) BOOST_TEST(change.behind <= 1, change.text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner
