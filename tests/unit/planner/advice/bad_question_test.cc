#include <algorithm>
#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

#include "planner/advice/advise.h"
#include "tests/support/golden.h"
#include "tests/unit/planner/advice/questions.h"

namespace sumac::planner {
namespace {

/// What a question that has no answer is refused with.
void addRefusal(test::Transcript& refusals, const char* name, const AdviceQuestion& question) {
  const auto advice = advise(question);
  BOOST_TEST_REQUIRE(!advice.has_value(), name);
  refusals.add(name, advice.error().message);
}

Advice answerTo(const AdviceQuestion& question) {
  auto advice = advise(question);
  BOOST_TEST_REQUIRE(advice.has_value(), (advice ? "" : advice.error().message));
  return *std::move(advice);
}

/// To a question with limits that no configuration keeps.
Advice refusalOf(const AdviceQuestion& question) {
  Advice advice = answerTo(question);
  BOOST_TEST(!advice.recommended.has_value());
  return advice;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bad_questions)

BOOST_AUTO_TEST_CASE(what_has_no_answer_is_refused_with_one_sentence) {
  test::Transcript refusals;
  const auto with = [&](const char* name, auto&& change) {
    AdviceQuestion question = aQuestion();
    change(question);
    addRefusal(refusals, name, question);
  };
  with("no steps", [](AdviceQuestion& question) { question.steps = 0; });
  with("a negative deadline", [](AdviceQuestion& question) { question.deadline_seconds = -1; });
  with("a large budget", [](AdviceQuestion& question) { question.budget = 1e300; });
  with("no link", [](AdviceQuestion& question) { question.link_bytes_per_second = aFigure(0); });
  with("a cost without a price", [](AdviceQuestion& question) { question.goal = PlanGoal::kCost; });
  with("a budget without a price", [](AdviceQuestion& question) { question.budget = 3; });
  with("one sample by one thread", [](AdviceQuestion& question) {
    question.most_workers = 4;
    question.profile.batches.resize(1);
  });
  with("no links", [](AdviceQuestion& question) { question.profile.links.clear(); });
  with("an asynchronous job", [](AdviceQuestion& question) {
    question.job.strategy.consistency = job::Consistency::kAsynchronous;
  });
  test::checkGolden("planner/advice/refusals.txt", refusals.text());
}

BOOST_AUTO_TEST_CASE(a_deadline_that_no_configuration_meets_is_told_with_the_one_that_fits) {
  AdviceQuestion question = aQuestion();
  question.deadline_seconds = 1e-6;
  const Advice advice = refusalOf(question);
  BOOST_TEST(advice.obstruction->is_late);
  BOOST_TEST_REQUIRE(advice.obstruction->enough.size() == 1U);
  question.deadline_seconds = advice.obstruction->enough.front().deadline_seconds.value();
  BOOST_TEST(advise(question)->recommended.has_value());
}

BOOST_AUTO_TEST_CASE(a_budget_that_no_configuration_keeps_is_told_with_the_cheapest) {
  AdviceQuestion question = aQuestion();
  question.machine = aMachine();
  question.budget = 1e-9;
  const Advice advice = refusalOf(question);
  BOOST_TEST(advice.obstruction->is_dear);
  BOOST_TEST(advice.configurations[*advice.obstruction->cheapest].choice.workers == 1);
  BOOST_TEST_REQUIRE(advice.obstruction->enough.size() == 1U);
  question.budget = advice.obstruction->enough.front().budget.value();
  BOOST_TEST(advise(question)->recommended.has_value());
}

BOOST_AUTO_TEST_CASE(memory_that_no_configuration_fits_is_told_with_what_would_fit) {
  for (const Placement place : {Placement::kMachines, Placement::kHere}) {
    AdviceQuestion question = aQuestion();
    question.place = place;
    question.member_bytes = aFigure(1 << 20);
    const Advice advice = refusalOf(question);
    BOOST_TEST(!advice.obstruction->fastest.has_value());
    BOOST_TEST_REQUIRE(advice.obstruction->enough.size() == 1U);
    const std::int64_t enough = advice.obstruction->enough.front().memory_bytes.value();
    question.member_bytes = aFigure(static_cast<double>(enough));
    BOOST_TEST(advise(question)->recommended.has_value());
    question.member_bytes = aFigure(static_cast<double>(enough - 1));
    BOOST_TEST(!advise(question)->recommended.has_value());
  }
}

BOOST_AUTO_TEST_CASE(where_some_configurations_do_not_fit_a_missed_deadline_is_of_those_that_fit) {
  AdviceQuestion question = aQuestion();
  question.deadline_seconds = 1e-6;
  BOOST_TEST(refusalOf(question).obstruction->is_late);

  const auto needs = [](const Configuration& each) { return each.memory.needed(); };
  const Advice all = answerTo(aQuestion());
  const auto [least, most] = std::ranges::minmax(all.configurations, {}, needs);
  BOOST_TEST_REQUIRE(needs(least) < needs(most));
  question.member_bytes = aFigure(static_cast<double>(needs(least)));
  const Advice small = refusalOf(question);
  BOOST_TEST(small.obstruction->is_late);
  BOOST_TEST(small.configurations[small.obstruction->fastest.value()].memory.fits());
}

BOOST_AUTO_TEST_CASE(members_that_share_a_machine_are_compared_with_its_memory_together) {
  AdviceQuestion question = aQuestion();
  question.place = Placement::kHere;
  question.member_bytes = aFigure(1e12);
  const Advice all = answerTo(question);
  const auto largest = std::ranges::max(
      all.configurations, {}, [](const Configuration& each) { return each.memory.needed(); });
  BOOST_TEST(largest.memory.needed() == largest.choice.workers * largest.memory.worker_bytes +
                                            largest.choice.servers * largest.memory.server_bytes);
  // Enough for each member, not for all.
  question.member_bytes = aFigure(static_cast<double>(largest.memory.needed() - 1));
  for (const Configuration& each : answerTo(question).configurations) {
    BOOST_TEST(each.memory.fits() == each.isPossible());
    BOOST_TEST(each.memory.fits() == (each.memory.needed() < largest.memory.needed()));
  }
}

BOOST_AUTO_TEST_CASE(limits_that_only_go_together_with_others_are_told_so) {
  AdviceQuestion question = aQuestion();
  question.machine = aMachine();
  const Advice all = answerTo(question);
  const Configuration& fastest = all.configurations.front();
  question.deadline_seconds = fastest.seconds * 1.001;
  question.budget = *fastest.cost / 2;
  const Advice advice = refusalOf(question);
  BOOST_TEST(!(advice.obstruction->is_late || advice.obstruction->is_dear));
  BOOST_TEST(advice.obstruction->enough.size() == 2U);
  for (const EnoughLimits& limits : advice.obstruction->enough) {
    AdviceQuestion changed = question;
    if (limits.deadline_seconds) changed.deadline_seconds = limits.deadline_seconds;
    if (limits.budget) changed.budget = limits.budget;
    BOOST_TEST(advise(changed)->recommended.has_value());
  }
}

BOOST_AUTO_TEST_CASE(limits_of_which_none_alone_is_enough_are_told_together) {
  AdviceQuestion question = aQuestion();
  question.machine = aMachine();
  question.deadline_seconds = 1e-6;
  question.budget = 1e-9;
  question.member_bytes = aFigure(1 << 20);
  const Advice advice = refusalOf(question);
  BOOST_TEST_REQUIRE(advice.obstruction->enough.size() == 1U);
  const EnoughLimits& limits = advice.obstruction->enough.front();
  question.deadline_seconds = limits.deadline_seconds.value();
  question.budget = limits.budget.value();
  question.member_bytes = aFigure(static_cast<double>(limits.memory_bytes.value()));
  BOOST_TEST(advise(question)->recommended.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner
