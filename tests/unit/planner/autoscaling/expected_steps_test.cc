#include "planner/autoscaling/expected_steps.h"

#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/plan/exchange_plan.h"

namespace sumac::autoscaling::expected_steps_test {
namespace {

constexpr int kParts = 8;
const ExchangePlan kPlan = makeExchangePlan({1'000'000}, kParts);

std::vector<ExpectedStep> expected(ExchangeMethod method, double link_bytes_per_second = 0) {
  job::TrainingJob job;
  job.training.batch_size = 64;
  job.training.logical_workers = kParts;
  job.strategy.method = method;
  job.server.replicas = 1;
  return expectedSteps(job, kPlan, 1, kParts, {}, {.link_bytes_per_second = link_bytes_per_second});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(expected_steps)

BOOST_AUTO_TEST_CASE(have_the_useful_sizes_with_the_parts_of_the_busiest_worker) {
  const auto steps = expected(ExchangeMethod::kDecentralized);
  const int sizes[] = {1, 2, 3, 4, 8};
  const double parts[] = {8, 4, 3, 2, 1};

  BOOST_REQUIRE_EQUAL(steps.size(), std::size(sizes));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    BOOST_TEST(steps[i].workers == sizes[i]);
    BOOST_TEST(steps[i].compute == parts[i]);
  }
}

BOOST_AUTO_TEST_CASE(have_the_exchange_of_the_cost_model) {
  const auto owners = expected(ExchangeMethod::kDecentralized);
  BOOST_TEST(owners[0].exchange == 0);  // one worker has nobody to exchange with
  BOOST_TEST(owners[1].exchange > 0);

  // A server's link carries all contributions, one of 4 MB for each worker.
  const double seconds = 4e6 * planner::kFrameOverhead / 12.5e6;
  const auto server = expected(ExchangeMethod::kServers, 12.5e6);
  BOOST_TEST(server[0].exchange >= seconds);
  BOOST_TEST(server[4].exchange >= 8 * seconds);
  BOOST_TEST(server[4].exchange <= 2.5 * 8 * seconds);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::expected_steps_test
