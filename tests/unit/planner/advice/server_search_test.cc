#include <algorithm>
#include <limits>

#include <boost/test/unit_test.hpp>

#include "planner/advice/prepared_configurations.h"
#include "planner/exchange_cost/profiled_step.h"
#include "tests/unit/planner/advice/questions.h"

// Between powers of two the best number of servers is searched for.
namespace sumac::planner::server_search_test {
namespace {

AdviceQuestion overLink(double bytes_per_second, PlanGoal goal) {
  AdviceQuestion question = aQuestion();
  question.link_bytes_per_second = aFigure(bytes_per_second);
  question.goal = goal;
  question.most_workers = 24;
  return question;
}

double weightOf(const PreparedConfigurations& prepared, StepShape shape, PlanGoal goal) {
  const double seconds = stepTime(shape, prepared.costs, prepared.where).seconds();
  return goal == PlanGoal::kCost ? seconds * (shape.exchange.workers + shape.exchange.servers)
                                 : seconds;
}

/// How much longer, or dearer, the best prepared number of servers is than the best of all.
double lossOf(const AdviceQuestion& question, const PreparedConfigurations& prepared, int workers) {
  double best_prepared = std::numeric_limits<double>::infinity();
  const PreparedConfiguration* any = nullptr;
  for (const PreparedConfiguration& each : prepared.configurations) {
    const JobChoice& choice = each.choice;
    if (choice.workers != workers || choice.servers == 0 || choice.codec != Codec::kFp32) continue;
    best_prepared = std::min(best_prepared, weightOf(prepared, each.shape, question.goal));
    any = &each;
  }
  BOOST_TEST_REQUIRE(any != nullptr);
  double best = best_prepared;
  const auto plan =
      makeExchangePlan(question.network, any->choice.batch, any->choice.logical_workers);
  for (int servers = 1; servers <= workers; ++servers) {
    JobChoice choice = any->choice;
    choice.servers = servers;
    StepShape shape = any->shape;
    shape.exchange = exchangeShapeOf(withChoice(question.job, choice), plan,
                                     prepared.costs.exchange, {.shares_cores = false});
    best = std::min(best, weightOf(prepared, shape, question.goal));
  }
  return best_prepared / best - 1;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(server_search)

BOOST_AUTO_TEST_CASE(finds_the_best_number_of_servers) {
  for (const PlanGoal goal : {PlanGoal::kTime, PlanGoal::kCost}) {
    for (const double rate : {1e6, 1e7, 1e8, 1e9, 1e10}) {
      const AdviceQuestion question = overLink(rate, goal);
      const auto prepared = prepareConfigurations(question);
      BOOST_TEST_REQUIRE(prepared.has_value());
      for (const int workers : {2, 8, 12, 16, 24}) {
        const double loss = lossOf(question, *prepared, workers);
        BOOST_TEST(loss <= 1e-9, workers << " workers, " << rate << " bytes/s: " << loss);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(adds_no_configuration_twice) {
  for (const double rate : {1e7, 1e8, 1e9}) {
    const auto prepared = prepareConfigurations(overLink(rate, PlanGoal::kTime));
    BOOST_TEST_REQUIRE(prepared.has_value());
    const auto& all = prepared->configurations;
    for (const PreparedConfiguration& each : all)
      BOOST_TEST(std::ranges::count(all, each.choice, &PreparedConfiguration::choice) == 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::server_search_test
