#include "planner/report/autoscaling_words.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::planner::autoscaling_words_test {
namespace {

using autoscaling::Goal;
using autoscaling::Reason;

SizeDecision made(Reason reason, Goal goal = Goal::kThroughput) {
  SizeDecision made;
  made.policy.goal = goal;
  made.from = 2;
  made.decision.workers = autoscaling::isChange(reason) ? 4 : 2;
  made.decision.reason = reason;
  made.decision.wanted = 4;
  made.decision.saves = 40;
  made.decision.utilization = 0.97;
  return made;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(autoscaling_words)

BOOST_AUTO_TEST_CASE(say_why_a_job_has_so_many_workers) {
  test::Transcript said;
  for (int number = 0; number <= static_cast<int>(Reason::kUtilization); ++number) {
    const auto reason = static_cast<Reason>(number);
    said.add(reasonName(reason), reasonText(made(reason)));
  }
  SizeDecision one = made(Reason::kStabilizing);
  one.decision.workers = 1;
  said.add("one worker", reasonText(one));
  SizeDecision slow = made(Reason::kStraggler);
  slow.decision.straggler = Straggler{3, 2.25};
  said.add("which straggler", reasonText(slow));
  SizeDecision late = made(Reason::kDeadline);
  late.decision.late_seconds = 90;
  said.add("late", reasonText(late));
  late.decision.reason = Reason::kRightSize;
  said.add("late, and stays", reasonText(late));
  late.decision.reason = Reason::kMeasuring;
  said.add("too soon to say that it is late", reasonText(late));
  SizeDecision dear = made(Reason::kBudget);
  dear.decision.over_budget = 0.125;
  said.add("dear", reasonText(dear));
  dear.decision.reason = Reason::kNotWorth;
  said.add("dear, and stays", reasonText(dear));
  SizeDecision paid = made(Reason::kSavesCost);
  paid.policy.prices.worker_hour = 1;
  paid.decision.saves = 0.125;
  said.add("with prices", reasonText(paid));
  for (const Goal goal : {Goal::kThroughput, Goal::kEfficiency, Goal::kDeadline, Goal::kCost})
    said.add(goalText(goal), sizeChangeText(made(Reason::kSavesTime, goal), 310));
  said.add("stays", sizeStayText(made(Reason::kRightSize), 310));
  test::checkGolden("planner/report/autoscaling_words.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::autoscaling_words_test
