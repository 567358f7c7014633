#include "planner/ranking/ranking.h"

#include <cmath>

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"

namespace sumac::planner::ranking_test {
namespace {

/// 1, 2 and 4 workers with 10 samples each; one machine trains 10 samples a second.
std::vector<PlanCandidate> candidates() {
  return {{"one", 1, 0, 10, 3600, 1.0, 100, ""},
          {"two", 2, 1, 20, 1800, 1.25, 200, ""},
          {"four", 4, 1, 40, 900, 2.0, 300, ""}};
}

PlanRequest asking(PlanGoal goal) {
  return {goal, {}, MachinePrice{2, "EUR", "a price list of 2026"}, 3600};
}

/// The candidates' numbers in order, those with obstacles after a bar: "021", "1|02".
std::string orderOf(const PlanRequest& request,
                    const std::vector<PlanCandidate>& all = candidates()) {
  const auto plans = rankPlans(all, request);
  BOOST_REQUIRE(plans);
  std::string order;
  for (const RankedPlan& plan : *plans) {
    if (!plan.obstacles.empty() && order.find('|') == std::string::npos) order += "|";
    order += std::to_string(plan.candidate);
  }
  return order;
}

/// What keeps each plan from being run, with the plans in their order.
std::string obstaclesOf(const PlanRequest& request, const std::vector<PlanCandidate>& all) {
  const auto plans = rankPlans(all, request);
  BOOST_REQUIRE(plans);
  std::string text;
  for (const RankedPlan& plan : *plans) {
    text += all[plan.candidate].name + "\n";
    for (const std::string& obstacle : plan.obstacles)
      text += "  " + obstacle + "\n";
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ranking)

BOOST_AUTO_TEST_CASE(each_goal_has_an_order_of_its_own) {
  auto all = candidates();
  all[1].steps = 700;  // 875 s of three machines
  BOOST_TEST(orderOf(asking(PlanGoal::kTime), all) == "120");
  BOOST_TEST(orderOf(asking(PlanGoal::kCost), all) == "102");
  BOOST_TEST(orderOf(asking(PlanGoal::kEfficiency), all) == "102");
  BOOST_TEST(orderOf(asking(PlanGoal::kEfficiency)) == "012");
}

BOOST_AUTO_TEST_CASE(predicts_time_cost_and_efficiency) {
  const auto plans = rankPlans(candidates(), asking(PlanGoal::kTime));

  BOOST_REQUIRE(plans);
  const RankedPlan& four = plans->front();
  BOOST_TEST(four.seconds == 1800);
  BOOST_TEST(four.cost.value() == 5);  // half an hour of five machines
  BOOST_TEST(four.efficiency == 0.5);
}

BOOST_AUTO_TEST_CASE(each_limit_says_by_how_much_a_plan_misses_it) {
  PlanRequest request = asking(PlanGoal::kTime);
  request.limits = {.deadline_seconds = 2000, .budget = 4, .workers = 3, .member_bytes = 250};
  BOOST_TEST(orderOf(request) == "|210");
  test::Transcript said;
  said.add("all limits", obstaclesOf(request, candidates()));
  request.limits = {
      .deadline_seconds = 1.2345, .budget = 1.23456, .workers = {}, .member_bytes = {}};
  said.add("limits of many digits", obstaclesOf(request, candidates()));
  test::checkGolden("planner/ranking/obstacles.txt", said.text());
}

BOOST_AUTO_TEST_CASE(a_limit_that_is_just_kept_is_no_obstacle) {
  PlanRequest request = asking(PlanGoal::kTime);
  request.limits = {.deadline_seconds = 1800, .budget = 5, .workers = 4, .member_bytes = 300};

  BOOST_TEST(orderOf(request) == "2|10");
}

BOOST_AUTO_TEST_CASE(what_this_version_cannot_run_comes_last_with_its_reason) {
  auto all = candidates();
  all[2].unavailable = "why";

  const auto plans = rankPlans(all, asking(PlanGoal::kTime));

  BOOST_REQUIRE(plans);
  BOOST_TEST(plans->back().candidate == 2U);
  BOOST_TEST(plans->back().obstacles.front() == all[2].unavailable);
}

BOOST_AUTO_TEST_CASE(of_equal_plans_the_one_with_fewer_machines_is_first) {
  auto all = candidates();
  all[1].steps = 1440;  // as long as four workers
  std::swap(all[1], all[2]);

  BOOST_TEST(orderOf(asking(PlanGoal::kTime), all) == "210");
}

BOOST_AUTO_TEST_CASE(without_a_price_there_is_no_cost) {
  PlanRequest request = asking(PlanGoal::kTime);
  request.price.reset();
  BOOST_TEST(!rankPlans(candidates(), request)->front().cost.has_value());
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_are_refused) {
  const std::pair<const char*, void (*)(PlanRequest&)> kRequests[] = {
      {"cost without a price",
       [](PlanRequest& bad) {
         bad.goal = PlanGoal::kCost;
         bad.price.reset();
       }},
      {"a budget without a price",
       [](PlanRequest& bad) {
         bad.limits.budget = 3;
         bad.price.reset();
       }},
      {"no source", [](PlanRequest& bad) { bad.price->source.clear(); }},
      {"no currency", [](PlanRequest& bad) { bad.price->currency.clear(); }},
      {"a worker in no time", [](PlanRequest& bad) { bad.seconds_of_one_worker = 0; }},
      {"a deadline below zero", [](PlanRequest& bad) { bad.limits.deadline_seconds = -1; }},
      {"no budget", [](PlanRequest& bad) { bad.limits.budget = std::nan(""); }},
      {"no worker", [](PlanRequest& bad) { bad.limits.workers = 0; }},
      {"a price below zero", [](PlanRequest& bad) { bad.price->per_hour = -1; }}};
  const std::pair<const char*, void (*)(PlanCandidate&)> kCandidates[] = {
      {"a step in no time", [](PlanCandidate& bad) { bad.seconds_per_step = 0; }},
      {"no worker", [](PlanCandidate& bad) { bad.workers = 0; }},
      {"servers below zero", [](PlanCandidate& bad) { bad.servers = -1; }},
      {"no steps", [](PlanCandidate& bad) { bad.steps = std::nan(""); }},
      {"endless", [](PlanCandidate& bad) { bad.steps = bad.seconds_per_step = 1e200; }},
      {"memory below zero", [](PlanCandidate& bad) { bad.member_bytes = -1; }}};
  test::Refusals refusals;
  refusals.add("no candidate", rankPlans({}, asking(PlanGoal::kTime)), "plan: ");
  for (const auto& [name, change] : kRequests) {
    PlanRequest bad = asking(PlanGoal::kTime);
    change(bad);
    refusals.add(std::string("asked: ") + name, rankPlans(candidates(), bad), "plan: ");
  }
  for (const auto& [name, change] : kCandidates) {
    auto all = candidates();
    change(all[1]);
    refusals.add(std::string("a candidate: ") + name, rankPlans(all, asking(PlanGoal::kTime)),
                 "plan: two: ");
  }
  refusals.compareWith("planner/ranking/refused.txt");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::ranking_test
