#include "planner/page/plan_page.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

#include "planner/page/plan_charts.h"
#include "tests/page/plan_study.h"

namespace sumac::planner::plan_page_test {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::string pageOf(const Advice& advice) {
  return planPage(advice, sampleOrigin());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plan_page)

BOOST_AUTO_TEST_CASE(the_recommendation_comes_first_with_its_reasons) {
  const Advice advice = largePlan();
  const auto html = pageOf(advice);
  const auto first = html.find("<li>Take " + toString(advice.ways[0].choice) + ": ");
  BOOST_REQUIRE(first != std::string::npos);
  BOOST_TEST(html.find("Nothing cheaper ends") > first);
  BOOST_TEST(html.find("<h2>") > html.find("Nothing cheaper ends"));
  BOOST_TEST(has(html, "Which way of running this job costs the least?"));
  BOOST_TEST(has(html, "<li>deadline 15 min</li>"));
}

BOOST_AUTO_TEST_CASE(everything_that_was_weighed_is_there) {
  const auto html = pageOf(largePlan());
  for (const char* const part : {"What to change",
                                 "As written",
                                 "What more workers bring",
                                 "Where the time of a step goes",
                                 "All ways, ranked",
                                 "What cannot be taken, and why",
                                 "What would change the answer",
                                 "Kahira et al. (2021)",
                                 "data+filter",
                                 "8 = 4 × 2",
                                 "use 4 or fewer",
                                 "limitation",
                                 "no: it can only be slower",
                                 "Zou et al. (2017)",
                                 "13,000 samples",
                                 "links at half",
                                 "links at twice their rate; computing 10 % slower",
                                 "measure one with",
                                 "312",
                                 "another machine than",
                                 "<pre tabindex=\"0\">sumac plan job.yaml",
                                 "1.2.3"})
    BOOST_TEST(has(html, part), part);
}

BOOST_AUTO_TEST_CASE(margins_and_threads_are_shown_and_changes_once) {
  Advice advice = largePlan();
  advice.ways[0].margin = 0.123;
  advice.ways[0].threads = 31;
  advice.strategies_basis = "Serial is the predicted step.";
  const auto html = pageOf(advice);
  BOOST_TEST(has(html, " ± 12 %, "));
  BOOST_TEST(has(html, "Threads of a worker</td><td class=\"sentence\">31<"));
  BOOST_TEST(has(html, "Serial is the predicted step."));
  BOOST_TEST(count(html, advice.changes[0].text) == 1U);
  BOOST_TEST(!has(html, "Best then"));
}

BOOST_AUTO_TEST_CASE(figures_say_how_they_are_known) {
  const auto html = pageOf(largePlan());
  BOOST_TEST(has(html, "listed below: 2 measured, 1 published, 1 given."));
  for (const char* const mark :
       {"origin measured\">measured<", "origin published\">published<", "origin stated\">given<"})
    BOOST_TEST(has(html, mark), mark);
  BOOST_TEST(has(html, "a fake price list for this page</td><td>2026-11-01</td>"));
}

BOOST_AUTO_TEST_CASE(pictures_reach_to_1024_workers_and_mark_what_cannot_be_taken) {
  const auto drawings = scaleDrawings(largePlan());
  BOOST_REQUIRE(drawings.size() == 4U);
  for (const auto& drawing : drawings)
    BOOST_TEST(has(drawing.content, ">1024</text>") + has(drawing.content, ">1,024</text>") == 1,
               drawing.title);
  BOOST_TEST(drawings[0].title == "Time of the whole job, in seconds");
  BOOST_TEST(drawings[1].title == "Cost of the whole job, in EUR");
  BOOST_TEST(has(drawings[0].content, "hollow"));
  BOOST_TEST(has(drawings[0].content, "Hollow marks: cannot be taken"));
  BOOST_TEST(has(drawings[3].content, ">limit</text>"));
}

BOOST_AUTO_TEST_CASE(phases_of_strategies_are_those_of_a_step) {
  const Advice advice = largePlan();
  BOOST_TEST(stepShare(advice.strategies[0]) * 17.4 == 0.11, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(stepShare(advice.strategies[3]) == 0);
  BOOST_TEST(has(strategyDrawings(advice).at(0).content, ">110 ms</text>"));
}

BOOST_AUTO_TEST_CASE(without_a_price_nothing_costs_anything) {
  Advice advice = largePlan();
  advice.currency.clear();
  for (Way& way : advice.ways)
    way.cost.reset();
  BOOST_TEST(scaleDrawings(advice).size() == 3U);
  BOOST_TEST(!has(pageOf(advice), "Cost"));
}

BOOST_AUTO_TEST_CASE(a_long_ranking_is_folded_and_whole) {
  const Advice advice = largePlan();
  const auto html = pageOf(advice);
  const auto usable =
      std::ranges::count_if(advice.ways, [](const Way& way) { return way.obstacles.empty(); });
  BOOST_REQUIRE(usable > 20);
  BOOST_TEST(has(html, "<summary>All " + std::to_string(usable) + " ways</summary>"));
  BOOST_TEST(count(html, "<tr><td class=\"number\">20</td>") >= 2U);
  BOOST_TEST(count(html, "<tr><td class=\"number\">" + std::to_string(usable) + "</td>") >= 1U);
}

BOOST_AUTO_TEST_CASE(no_plan_says_why_first) {
  const auto html = pageOf(noPlan());
  BOOST_TEST(has(html, "<li class=\"alarm\">No way can be taken</li>"));
  BOOST_TEST(has(html, "<li>No way fits: a worker needs 9.1 GiB"));
  BOOST_TEST(!has(html, "<table>"));
}

BOOST_AUTO_TEST_CASE(no_text_becomes_markup) {
  const auto html = pageOf(hostilePlan());
  BOOST_TEST(!has(html, "<script"));
  BOOST_TEST(!has(html, "<b>"));
  BOOST_TEST(has(html, "&lt;script&gt;alert"));
  BOOST_TEST(!has(html, "nan"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::plan_page_test
