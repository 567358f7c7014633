#include "planner/exchange_cost/textbook.h"

#include <boost/test/unit_test.hpp>

namespace sumac::planner::textbook_test {
namespace {

constexpr double kCompute = 0.06;
constexpr double kBytes = 1e6;
constexpr double kRate = 1e8;

StepShape aStep(ExchangeMethod method, int workers, int servers = 1) {
  StepShape step;
  step.compute.forward_seconds = 0.02;
  step.compute.backward = {{0.03, 1}};
  step.compute.update_seconds = 0.01;
  step.exchange.method = method;
  step.exchange.workers = workers;
  step.exchange.servers = servers;
  step.exchange.value_bytes = step.exchange.wire_bytes = kBytes;
  return step;
}

double exchangeOf(const StepShape& step) {
  const Surroundings where{.link_bytes_per_second = kRate * kFrameOverhead};
  return textbookSeconds(step, {}, where) - kCompute;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(textbook)

BOOST_AUTO_TEST_CASE(counts_the_bytes_on_the_busiest_link) {
  constexpr double kVector = kBytes / kRate;
  const auto tolerance = boost::test_tools::tolerance(1e-9);
  BOOST_TEST(exchangeOf(aStep(ExchangeMethod::kServers, 4)) == 4 * kVector, tolerance);
  BOOST_TEST(exchangeOf(aStep(ExchangeMethod::kServers, 4, 2)) == 2 * kVector, tolerance);
  BOOST_TEST(exchangeOf(aStep(ExchangeMethod::kRing, 4)) == 1.5 * kVector, tolerance);
  BOOST_TEST(exchangeOf(aStep(ExchangeMethod::kDecentralized, 4)) == 1.5 * kVector, tolerance);
  BOOST_TEST(exchangeOf(aStep(ExchangeMethod::kDirect, 4)) == 3 * kVector, tolerance);
  BOOST_TEST(exchangeOf(aStep(ExchangeMethod::kRing, 1)) == 0, tolerance);
}

BOOST_AUTO_TEST_CASE(without_a_link_a_byte_takes_what_it_costs_and_workers_share_the_cores) {
  StepCosts costs;
  costs.exchange.byte = 2e-9;
  const StepShape step = aStep(ExchangeMethod::kServers, 4);
  const auto tolerance = boost::test_tools::tolerance(1e-9);
  BOOST_TEST(textbookSeconds(step, costs, {}) == kCompute + 4 * kBytes * 2e-9, tolerance);
  BOOST_TEST(textbookSeconds(step, costs, {.shared_cores = 2}) == 2 * kCompute + 4 * kBytes * 2e-9,
             tolerance);
  BOOST_TEST(textbookSeconds(step, costs, {.shared_cores = 2, .is_emulated = true}) ==
                 kCompute + 4 * kBytes * 2e-9,
             tolerance);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::textbook_test
