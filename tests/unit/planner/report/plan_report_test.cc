#include "planner/report/plan_report.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

#include "base/report/html.h"
#include "base/report/text.h"
#include "planner/report/plan_charts.h"
#include "planner/report/sentences.h"
#include "tests/page/plan_study.h"
#include "tests/support/golden.h"

namespace sumac::planner::plan_report_test {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::string textOf(const Advice& advice, report::TextStyle style = {}) {
  return toText(planReport(advice, sampleOrigin()), style);
}

std::string pageOf(const Advice& advice) {
  return toPage(planReport(advice, sampleOrigin()));
}

/// The page from its heading on: the styles before it are those of all pages.
std::string bodyOf(const Advice& advice) {
  const std::string page = pageOf(advice);
  return page.substr(page.find("<body>"));
}

/// A few configurations of the large plan.
Advice smallPlan() {
  Advice advice = largePlan();
  advice.configurations.resize(12);
  advice.as_written = 3;
  advice.reasons.back().other = 3;
  std::erase_if(advice.scale, [](const ScalePoint& point) { return point.best.value_or(0) >= 12; });
  advice.scale.resize(4);
  return advice;
}

Advice withLongNames() {
  Advice advice = smallPlan();
  advice.job = std::string(63, 'j');
  advice.place.machine_type = std::string(63, 'm');
  return advice;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plan_report)

BOOST_AUTO_TEST_CASE(whole_answers_are_the_golden_ones) {
  test::checkGolden("planner/report/short.txt", textOf(smallPlan()));
  test::checkGolden("planner/report/wide.txt", textOf(smallPlan(), {.is_wide = true}));
  test::checkGolden("planner/report/narrow.txt", textOf(withLongNames(), {.columns = 20}));
  test::checkGolden("planner/report/none.txt", textOf(noPlan()));
  test::checkGolden("planner/report/page.html", bodyOf(smallPlan()));
}

BOOST_AUTO_TEST_CASE(a_short_answer_has_a_dozen_lines_and_keeps_to_the_terminal) {
  BOOST_TEST(count(textOf(largePlan()), "\n") <= 12U);
  const std::string narrow = textOf(withLongNames(), {.columns = 20});
  for (std::size_t begin = 0; begin < narrow.size();) {
    const std::size_t end = narrow.find('\n', begin);
    const auto line = std::string_view(narrow).substr(begin, end - begin);
    BOOST_TEST(std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }) <= 20, line);
    begin = end + 1;
  }
}

BOOST_AUTO_TEST_CASE(every_note_and_figure_has_words) {
  Advice advice = largePlan();
  test::Transcript words;
  for (int kind = 0; kind <= static_cast<int>(NoteKind::kResultWithoutJob); ++kind) {
    const Note note{static_cast<NoteKind>(kind), 2, 16, "TEXT", 8};
    words.add(warningRank(note.kind) ? "warning" : "note", noteText(advice, note));
  }
  for (int name = 0; name <= static_cast<int>(FigureName::kPrice); ++name) {
    const NamedFigure figure{static_cast<FigureName>(name), {1'234, {}, "", ""}};
    words.add(figureText(figure.name),
              valueText(advice, figure) + "\n" + sourceText(advice, figure));
  }
  test::checkGolden("planner/report/words.txt", words.text());
}

BOOST_AUTO_TEST_CASE(every_finding_and_refusal_of_a_strategy_has_words) {
  Advice advice = largePlan();
  test::Transcript words;
  const MemberLimit limit{32, {{PartKind::kSamples, 32}, {PartKind::kFilters, 1, "conv1"}}};
  for (int kind = 0; kind <= static_cast<int>(FindingKind::kMemberLimit); ++kind)
    words.add("finding", findingText({static_cast<FindingKind>(kind), 0.84, 512, limit}));
  Assessment& strategy = advice.strategies[2];
  for (int kind = 0; kind <= static_cast<int>(Obstacle::kMemory); ++kind) {
    strategy.refusal = Refusal{static_cast<Obstacle>(kind), 8, limit, Strategy::kFilter, 16e9};
    words.add("refusal", whyNot(advice, strategy));
  }
  strategy.refusal->found = 0;
  strategy.estimate->memory_bytes = 1e300;
  words.add("more bytes than can be counted", whyNot(advice, strategy));
  for (int of = 0; of <= static_cast<int>(PartKind::kPositions); ++of) {
    strategy.refusal =
        Refusal{Obstacle::kMembers, 9, {8, {{static_cast<PartKind>(of), 8, "conv2"}}}};
    words.add("limit", whyNot(advice, strategy));
  }
  test::checkGolden("planner/report/strategies.txt", words.text());
}

BOOST_AUTO_TEST_CASE(every_reason_and_change_has_words) {
  Advice advice = largePlan();
  test::Transcript words;
  advice.configurations[1].choice.codec = Codec::kBf16;
  for (int kind = 0; kind <= static_cast<int>(ReasonKind::kMayBeDear); ++kind)
    words.add("reason", reasonText(advice, {static_cast<ReasonKind>(kind), 1}));
  words.add("risk", reasonText(advice, {ReasonKind::kMayBeLate}));
  Change change{.trial = {Condition::kLinksHalf, 1e6}};
  for (int kind = 0; kind <= static_cast<int>(Condition::kNoiseHigh); ++kind) {
    change.trial.condition = static_cast<Condition>(kind);
    words.add("change", changeText(advice, change));
  }
  change.choice = advice.configurations[1].choice;
  words.add("equal", changeText(advice, change));
  change.behind = 0.3;
  words.add("behind", changeText(advice, change));
  change.obstacle = BrokenLimit{PlanLimit::kBudget, 3, 2.5};
  words.add("not possible", changeText(advice, change));
  for (const PlanLimit limit :
       {PlanLimit::kMemory, PlanLimit::kDeadline, PlanLimit::kBudget, PlanLimit::kWorkers}) {
    change.obstacle = BrokenLimit{limit, 300.0001, 300};  // that round alike
    words.add("hardly", changeText(advice, change));
  }
  for (const bool is_one : {true, false}) {
    SizingAdvice sizing;
    sizing.workers = is_one ? 1 : 4;
    words.add("workers", workersText(sizing));
    sizing.overhead_ratio = 0.012;
    words.add("workers", workersText(sizing));
    sizing.speedup = is_one ? 2.5 : 0.9;
    words.add("workers", workersText(sizing));
  }
  test::checkGolden("planner/report/reasons.txt", words.text());
}

BOOST_AUTO_TEST_CASE(limits_that_are_not_kept_have_options_that_are_enough) {
  Advice advice = smallPlan();
  advice.recommended.reset();
  advice.limits = {.deadline_seconds = 10, .budget = 0.0712, .is_memory_given = true};
  Obstruction& why = advice.obstruction.emplace();
  why.fastest = 1;
  why.cheapest = 0;
  why.enough = {{.deadline_seconds = 697.2}, {.budget = 0.0592749}, {.memory_bytes = 123 << 20}};
  test::Transcript words;
  words.add("together", noPlanText(advice));
  why.is_late = why.is_dear = true;
  words.add("each", noPlanText(advice));
  advice.limits.deadline_seconds = advice.configurations[1].seconds * (1 - 1e-6);
  words.add("hardly", noPlanText(advice));
  why.fastest.reset();
  why.enough = {{.deadline_seconds = 1e5, .budget = 123'456, .memory_bytes = 1 << 30}};
  words.add("memory", noPlanText(advice));
  test::checkGolden("planner/report/limits.txt", words.text());
}

BOOST_AUTO_TEST_CASE(pictures_reach_to_1024_workers) {
  const auto drawings = scaleDrawings(largePlan());
  BOOST_REQUIRE(drawings.size() == 3U);
  for (const auto& drawing : drawings)
    BOOST_TEST(
        count(drawing.content, ">1024</text>") + count(drawing.content, ">1,024</text>") == 1U,
        drawing.title);
  BOOST_TEST(count(drawings[0].content, "hollow") > 0U);
}

BOOST_AUTO_TEST_CASE(without_a_price_nothing_costs_anything) {
  Advice advice = largePlan();
  advice.currency.clear();
  for (Configuration& each : advice.configurations)
    each.cost.reset();
  BOOST_TEST(scaleDrawings(advice).size() == 2U);
  BOOST_TEST(count(pageOf(advice), "Cost") == 0U);
}

BOOST_AUTO_TEST_CASE(no_text_becomes_markup) {
  const auto html = pageOf(hostilePlan());
  BOOST_TEST(count(html, "<script") == 0U);
  BOOST_TEST(count(html, "<b>") == 0U);
  BOOST_TEST(count(html, "&lt;script&gt;alert") > 0U);
  BOOST_TEST(count(html, "nan") == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::plan_report_test
