#include "experiment/simulate/goals.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/experiment/simulate/simulated_study.h"

namespace sumac::experiment::goals_test {

BOOST_AUTO_TEST_SUITE(goals)

BOOST_AUTO_TEST_CASE(cells_are_judged_by_the_limits_and_prices_of_their_group) {
  const SimulatedStudy study(
      "  axes:\n"
      "    - name: link\n"
      "      variants:\n"
      "        - {name: slow, set: {link.rate: 10Mbit}}\n"
      "        - {name: fast, set: {link.rate: 1Gbit}}\n"
      "    - name: sizing\n"
      "      variants:\n"
      "        - {name: two, set: {autoscaling: {fixed: 2}}}\n"
      "        - {name: soon, set: {autoscaling: {policy: deadline, deadlineSeconds: 90}}}\n"
      "        - name: cheap\n"
      "          set: {autoscaling: {policy: cost, cost: {workerHour: 2, budget: 5}}}\n");
  const auto groups = sizingGroups(study.experiment, study.cells);
  const auto goals = goalsOf(study.cells, groups);

  BOOST_TEST(groups == (std::vector<int>{0, 0, 0, 1, 1, 1}), boost::test_tools::per_element());
  BOOST_TEST(groupText(study.experiment, study.cells[3]) == "fast");
  BOOST_TEST(sizingText(study.experiment, study.cells[4]) == "soon");
  for (const Goals& one : goals) {
    BOOST_TEST(one.deadline_seconds.value() == 90);
    BOOST_TEST(one.budget.value() == 5);
    BOOST_TEST(one.prices.worker_hour == 2);
  }
}

BOOST_AUTO_TEST_CASE(without_limits_and_prices_nothing_is_judged) {
  const SimulatedStudy study("  autoscaling: {fixed: 2}\n");
  const auto goals = goalsOf(study.cells, sizingGroups(study.experiment, study.cells));
  BOOST_TEST(!goals[0].deadline_seconds.has_value());
  BOOST_TEST(!goals[0].hasPrices());
  BOOST_TEST(groupText(study.experiment, study.cells[0]) == "");
  BOOST_TEST(sizingText(study.experiment, study.cells[0]) == "the job");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::goals_test
