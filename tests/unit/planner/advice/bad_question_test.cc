#include <string>

#include <boost/test/unit_test.hpp>

#include "planner/advice/advise.h"
#include "tests/unit/planner/advice/questions.h"

namespace sumac::planner {
namespace {

std::string problemOf(const AdviceQuestion& question) {
  const auto advice = advise(question);
  return advice ? "" : advice.error().message;
}

std::string noPlanOf(const AdviceQuestion& question) {
  const auto advice = advise(question);
  BOOST_TEST_REQUIRE(advice.has_value());
  BOOST_TEST(!advice->recommended.has_value());
  return advice->no_plan;
}

bool has(const std::string& text, std::string_view part) {
  BOOST_TEST_MESSAGE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bad_questions)

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_are_named) {
  AdviceQuestion question = aQuestion();
  question.steps = 0;
  BOOST_TEST(has(problemOf(question), "the steps of the job"));
  question = aQuestion();
  question.deadline_seconds = -1;
  BOOST_TEST(has(problemOf(question), "the deadline"));
  question = aQuestion();
  question.budget = 1e300;
  BOOST_TEST(has(problemOf(question), "the budget"));
  question = aQuestion();
  question.link_bytes_per_second = aFigure(0);
  BOOST_TEST(has(problemOf(question), "the link's rate"));
}

BOOST_AUTO_TEST_CASE(a_cost_needs_a_price) {
  AdviceQuestion question = aQuestion();
  question.goal = PlanGoal::kCost;
  BOOST_TEST(has(problemOf(question), "no price is known"));
}

BOOST_AUTO_TEST_CASE(a_profile_that_reaches_no_way_says_what_to_measure) {
  AdviceQuestion question = aQuestion();
  question.most_workers = 4;
  question.profile.batches.resize(1);  // one sample by one thread
  BOOST_TEST(has(problemOf(question), "no way to run this job can be predicted"));
  question = aQuestion();
  question.profile.links.clear();
  BOOST_TEST(has(problemOf(question), "no measurement of tcp links"));
}

BOOST_AUTO_TEST_CASE(a_job_that_is_not_synchronous_is_refused) {
  AdviceQuestion question = aQuestion();
  question.job.strategy.consistency = job::Consistency::kAsynchronous;
  BOOST_TEST(has(problemOf(question), "only synchronous jobs are predicted"));
}

BOOST_AUTO_TEST_CASE(a_deadline_that_no_way_meets_is_told_with_the_one_that_fits) {
  AdviceQuestion question = aQuestion();
  question.deadline_seconds = 1e-6;
  const std::string text = noPlanOf(question);
  BOOST_TEST(has(text, "deadline of 1 us"));
  BOOST_TEST(has(text, "the deadline must be at least that"));
}

BOOST_AUTO_TEST_CASE(a_budget_that_no_way_keeps_is_told_with_the_cheapest) {
  AdviceQuestion question = aQuestion();
  question.machine = aMachine();
  question.budget = 1e-9;
  BOOST_TEST(
      has(noPlanOf(question), "No way keeps the budget of 1e-09 USD: the cheapest, 1 worker"));
}

BOOST_AUTO_TEST_CASE(memory_that_no_way_fits_is_told_with_what_would_fit) {
  AdviceQuestion question = aQuestion();
  question.member_bytes = aFigure(1 << 20);
  const std::string text = noPlanOf(question);
  BOOST_TEST(has(text, "No way fits into the memory of a member, 1.0 MiB"));
  BOOST_TEST(has(text, "take machines with at least that"));
}

BOOST_AUTO_TEST_CASE(limits_that_only_go_together_with_others_are_told_so) {
  AdviceQuestion question = aQuestion();
  question.machine = aMachine();
  const auto all = advise(question);
  BOOST_TEST_REQUIRE(all.has_value());
  const Way& fastest = all->ways.front();
  question.deadline_seconds = fastest.seconds * 1.001;
  question.budget = *fastest.cost / 2;
  BOOST_TEST(has(noPlanOf(question), "No way keeps the deadline and the budget together"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner
