#include "planner/exchange_cost/cost_fit.h"

#include <algorithm>
#include <cmath>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::planner::cost_fit_test {

const StepCosts kTrue{.step = 2e-4,
                      .exchange = {.hop = 6e-5, .message = 9e-6, .byte = 4e-10, .add = 2e-10}};
const std::vector<Coefficient> kAll{Coefficient::kStep, Coefficient::kHop, Coefficient::kMessage,
                                    Coefficient::kByte, Coefficient::kAdd};

StepShape aStep(ExchangeMethod method, int workers, double bytes) {
  StepShape step;
  step.exchange = {.method = method,
                   .workers = workers,
                   .value_bytes = bytes,
                   .wire_bytes = bytes,
                   .message_bytes = 65'536};
  step.compute.forward_seconds = 1e-3;
  step.compute.backward = {{2e-3, 1.0}};
  return step;
}

/// What is measured of that step where `costs` are true.
Observation observed(const StepShape& shape, const StepCosts& costs, double error = 0) {
  return {shape, {}, (1 + error) * stepTime(shape, costs, {}).seconds()};
}

std::vector<StepShape> manySteps() {
  std::vector<StepShape> steps;
  for (const ExchangeMethod method : {ExchangeMethod::kServers, ExchangeMethod::kScatterGather,
                                      ExchangeMethod::kRing, ExchangeMethod::kDirect}) {
    for (const int workers : {1, 2, 4, 8}) {
      for (const double bytes : {4e3, 250e3, 4e6})
        steps.push_back(aStep(method, workers, bytes));
    }
  }
  return steps;
}

double largest(const std::vector<double>& residuals) {
  double most = 0;
  for (const double residual : residuals)
    most = std::max(most, std::abs(residual));
  return most;
}

BOOST_AUTO_TEST_SUITE(cost_fit)

BOOST_AUTO_TEST_CASE(recovers_the_costs_that_made_the_measurements) {
  std::vector<Observation> observations;
  for (const StepShape& step : manySteps())
    observations.push_back(observed(step, kTrue));

  const auto fit = fitCosts(observations, {}, kAll);

  BOOST_TEST_REQUIRE(fit.has_value());
  StepCosts found = fit->costs;
  StepCosts wanted = kTrue;
  for (const Coefficient coefficient : kAll) {
    BOOST_TEST(valueOf(found, coefficient) == valueOf(wanted, coefficient),
               boost::test_tools::tolerance(1e-4));
  }
  BOOST_TEST(largest(fit->residuals) < 1e-6);
  BOOST_TEST(fit->rank == 5);
  BOOST_TEST(fit->undetermined.empty());
}

BOOST_AUTO_TEST_CASE(predicts_steps_that_were_not_measured_from_noisy_ones) {
  std::vector<Observation> observations;
  const auto steps = manySteps();
  for (std::size_t i = 0; i < steps.size(); i += 2)
    observations.push_back(observed(steps[i], kTrue, i % 4 == 0 ? 0.02 : -0.02));

  const auto fit = fitCosts(observations, {}, kAll);

  BOOST_TEST_REQUIRE(fit.has_value());
  double sum = 0;
  for (std::size_t i = 1; i < steps.size(); i += 2) {
    const double measured = stepTime(steps[i], kTrue, {}).seconds();
    const double predicted = stepTime(steps[i], fit->costs, {}).seconds();
    sum += 1 - std::abs(predicted - measured) / measured;
  }
  const std::size_t predicted_steps = steps.size() / 2;
  BOOST_TEST(sum / static_cast<double>(predicted_steps) > 0.95);
  BOOST_TEST(fit->error() > 0.005);
}

BOOST_AUTO_TEST_CASE(says_what_measurements_of_one_kind_cannot_tell_apart) {
  std::vector<Observation> observations;
  for (int i = 0; i < 5; ++i)
    observations.push_back(observed(aStep(ExchangeMethod::kServers, 2, 4e6), kTrue));

  const auto fit = fitCosts(observations, {}, kAll);

  BOOST_TEST_REQUIRE(fit.has_value());
  BOOST_TEST(fit->rank == 1);
  BOOST_TEST(fit->undetermined.size() == 5);
  test::checkGolden("planner/exchange_cost/caveat.txt", fit->caveat() + "\n");
  BOOST_TEST(largest(fit->residuals) < 1e-6);  // what it predicts is right all the same
}

BOOST_AUTO_TEST_CASE(a_cost_that_plays_no_part_is_not_determined) {
  std::vector<Observation> observations;
  for (const int workers : {1, 2, 4, 8})  // a ring never has the hops of a server
    observations.push_back(observed(aStep(ExchangeMethod::kRing, 1, workers * 1e6), kTrue));

  const auto fit = fitCosts(observations, kTrue, {Coefficient::kByte});

  BOOST_TEST_REQUIRE(fit.has_value());
  BOOST_TEST(fit->rank == 0);
  BOOST_TEST(fit->undetermined.size() == 1);
  BOOST_TEST((fit->costs == kTrue));
}

BOOST_AUTO_TEST_CASE(fewer_measurements_than_costs_are_fitted_and_not_trusted) {
  const auto fit = fitCosts({observed(aStep(ExchangeMethod::kServers, 4, 1e6), kTrue)}, {}, kAll);

  BOOST_TEST_REQUIRE(fit.has_value());
  BOOST_TEST(fit->rank == 1);
  BOOST_TEST(!std::isfinite(fit->condition));
}

BOOST_AUTO_TEST_CASE(no_cost_is_negative) {
  std::vector<Observation> observations;  // faster than computing alone
  for (const StepShape& step : manySteps())
    observations.push_back({step, {}, 1e-3});

  const auto fit = fitCosts(observations, kTrue, kAll);

  BOOST_TEST_REQUIRE(fit.has_value());
  StepCosts costs = fit->costs;
  for (const Coefficient coefficient : kAll)
    BOOST_TEST(valueOf(costs, coefficient) >= 0);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_measurement) {
  const StepShape step = aStep(ExchangeMethod::kServers, 2, 1e6);
  BOOST_TEST(!fitCosts({}, {}, kAll).has_value());
  BOOST_TEST(!fitCosts({{step, {}, 0}}, {}, kAll).has_value());
  BOOST_TEST(!fitCosts({{step, {}, std::nan("")}}, {}, kAll).has_value());
  BOOST_TEST(!fitCosts({observed(step, kTrue)}, {}, {}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::cost_fit_test
