#include "planner/ranking/ranking.h"

#include <cmath>

#include <boost/test/unit_test.hpp>

namespace sumac::planner::ranking_test {
namespace {

/// 1, 2 and 4 workers with 10 samples each; one machine trains 10 samples a second.
std::vector<PlanCandidate> candidates() {
  return {{1, 0, 10, 3600, 1.0, 100}, {2, 1, 20, 1800, 1.25, 200}, {4, 1, 40, 900, 2.0, 300}};
}

PlanRequest asking(PlanGoal goal) {
  return {goal, {}, 2, 3600};
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

std::string problemWith(const PlanRequest& request,
                        const std::vector<PlanCandidate>& all = candidates()) {
  const auto plans = rankPlans(all, request);
  return plans ? "none" : plans.error().message;
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

BOOST_AUTO_TEST_CASE(each_limit_that_a_plan_misses_is_named_with_both_amounts) {
  PlanRequest request = asking(PlanGoal::kTime);
  request.limits = {.deadline_seconds = 2000, .budget = 4, .member_bytes = 250};

  const auto plans = rankPlans(candidates(), request);

  BOOST_REQUIRE(plans);
  BOOST_TEST(orderOf(request) == "|210");
  using Broken = std::vector<BrokenLimit>;
  BOOST_TEST(((*plans)[0].obstacles ==
              Broken{{PlanLimit::kMemory, 300, 250}, {PlanLimit::kBudget, 5, 4}}));
  BOOST_TEST(((*plans)[2].obstacles == Broken{{PlanLimit::kDeadline, 3600, 2000}}));
}

BOOST_AUTO_TEST_CASE(a_limit_that_is_just_kept_is_no_obstacle) {
  PlanRequest request = asking(PlanGoal::kTime);
  request.limits = {.deadline_seconds = 1800, .budget = 5, .member_bytes = 300};

  BOOST_TEST(orderOf(request) == "2|10");
}

BOOST_AUTO_TEST_CASE(of_equal_plans_the_one_with_fewer_machines_is_first) {
  auto all = candidates();
  all[1].steps = 1440;  // as long as four workers
  std::swap(all[1], all[2]);

  BOOST_TEST(orderOf(asking(PlanGoal::kTime), all) == "210");
}

BOOST_AUTO_TEST_CASE(without_a_price_there_is_no_cost) {
  PlanRequest request = asking(PlanGoal::kTime);
  request.price_per_hour.reset();
  BOOST_TEST(!rankPlans(candidates(), request)->front().cost.has_value());

  request.goal = PlanGoal::kCost;
  BOOST_TEST(!rankPlans(candidates(), request));
  request.goal = PlanGoal::kTime;
  request.limits.budget = 3;
  BOOST_TEST(!rankPlans(candidates(), request));
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_are_refused) {
  const auto request_with = [](auto change) {
    PlanRequest request = asking(PlanGoal::kTime);
    change(request);
    return problemWith(request);
  };
  const auto candidate_with = [](auto change) {
    auto all = candidates();
    change(all[1]);
    return problemWith(asking(PlanGoal::kTime), all);
  };

  BOOST_TEST(!rankPlans({}, asking(PlanGoal::kTime)));
  for (const std::string& problem :
       {request_with([](PlanRequest& bad) { bad.seconds_of_one_worker = 0; }),
        request_with([](PlanRequest& bad) { bad.limits.deadline_seconds = -1; }),
        request_with([](PlanRequest& bad) { bad.limits.budget = std::nan(""); }),
        request_with([](PlanRequest& bad) { bad.price_per_hour = -1; }),
        candidate_with([](PlanCandidate& bad) { bad.workers = 0; }),
        candidate_with([](PlanCandidate& bad) { bad.seconds_per_step = 0; }),
        candidate_with([](PlanCandidate& bad) { bad.servers = -1; }),
        candidate_with([](PlanCandidate& bad) { bad.steps = std::nan(""); }),
        candidate_with([](PlanCandidate& bad) { bad.steps = bad.seconds_per_step = 1e200; }),
        candidate_with([](PlanCandidate& bad) { bad.member_bytes = -1; })}) {
    BOOST_TEST(problem.rfind("plan: ", 0) == 0U, problem);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::ranking_test
