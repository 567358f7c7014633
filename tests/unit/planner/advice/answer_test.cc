#include "planner/advice/answer.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/planner/advice/questions.h"

namespace sumac::planner::answer_test {
namespace {

Configuration aConfiguration(int workers, int servers, double seconds, std::int64_t bytes) {
  Configuration one;
  one.choice.workers = workers;
  one.choice.servers = servers;
  one.seconds = seconds;
  one.memory.worker_bytes = bytes;
  return one;
}

/// 1, 2 and 4 workers, two of them with a server.
std::vector<Configuration> someConfigurations() {
  return {aConfiguration(1, 0, 3600, 100), aConfiguration(2, 1, 2250, 200),
          aConfiguration(4, 1, 1800, 300)};
}

/// By a goal, at 2 an hour and machine.
AdviceQuestion asking(PlanGoal goal) {
  AdviceQuestion question;
  question.goal = goal;
  question.machine = aMachine();
  question.machine->price_per_hour = aFigure(2);
  return question;
}

/// The numbers of workers in order, those with obstacles after a bar: "421", "2|14".
std::string orderOf(const AdviceQuestion& question,
                    std::vector<Configuration> all = someConfigurations()) {
  rank(question, /*price_factor=*/1, all);
  std::string order;
  for (const Configuration& each : all) {
    if (!each.isPossible() && order.find('|') == std::string::npos) order += "|";
    order += std::to_string(each.choice.workers);
  }
  return order;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(answer)

BOOST_AUTO_TEST_CASE(each_goal_has_an_order_of_its_own) {
  auto all = someConfigurations();
  all[1].seconds = 875;
  BOOST_TEST(orderOf(asking(PlanGoal::kTime), all) == "241");
  BOOST_TEST(orderOf(asking(PlanGoal::kCost), all) == "214");
  BOOST_TEST(orderOf(asking(PlanGoal::kEfficiency), all) == "214");
  BOOST_TEST(orderOf(asking(PlanGoal::kEfficiency)) == "124");
}

BOOST_AUTO_TEST_CASE(cost_efficiency_and_speedup_follow_from_the_times) {
  auto all = someConfigurations();
  rank(asking(PlanGoal::kTime), /*price_factor=*/2, all);
  BOOST_TEST(all[0].cost.value() == 10);  // half an hour of five machines at twice their price
  BOOST_TEST(all[0].efficiency == 0.5);
  BOOST_TEST(all[0].speedup.value() == 2);
}

BOOST_AUTO_TEST_CASE(each_limit_that_is_missed_is_named_with_both_amounts) {
  AdviceQuestion question = asking(PlanGoal::kTime);
  question.deadline_seconds = 2000;
  question.budget = 4;
  auto all = someConfigurations();
  for (Configuration& each : all)
    each.memory.limit_bytes = 250;
  BOOST_TEST(orderOf(question, all) == "|421");
  rank(question, 1, all);
  using Broken = std::vector<BrokenLimit>;
  BOOST_TEST(
      (all[0].obstacles == Broken{{PlanLimit::kMemory, 300, 250}, {PlanLimit::kBudget, 5, 4}}));
  BOOST_TEST((all[2].obstacles == Broken{{PlanLimit::kDeadline, 3600, 2000}}));
}

BOOST_AUTO_TEST_CASE(a_limit_that_is_just_kept_is_no_obstacle) {
  AdviceQuestion question = asking(PlanGoal::kTime);
  question.deadline_seconds = 1800;
  question.budget = 5;
  auto all = someConfigurations();
  for (Configuration& each : all)
    each.memory.limit_bytes = 300;
  BOOST_TEST(orderOf(question, all) == "4|21");
}

BOOST_AUTO_TEST_CASE(of_equal_configurations_the_one_with_fewer_machines_is_first) {
  auto all = someConfigurations();
  all[1].seconds = 1800;
  std::swap(all[1], all[2]);
  BOOST_TEST(orderOf(asking(PlanGoal::kTime), all) == "241");
}

BOOST_AUTO_TEST_CASE(without_a_price_there_is_no_cost) {
  auto all = someConfigurations();
  rank({}, 1, all);
  BOOST_TEST(!all.front().cost.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::answer_test
