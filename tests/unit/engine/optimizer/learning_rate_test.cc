#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "engine/optimizer/optimizer.h"

namespace sumac::worker::learning_rate_test {
namespace {

job::OptimizerSpec rate(double value) {
  job::OptimizerSpec spec;
  spec.learning_rate = value;
  return spec;
}

constexpr Step kEpoch = 10;

}  // namespace

BOOST_AUTO_TEST_SUITE(learning_rate, *boost::unit_test::tolerance(1e-12))

BOOST_AUTO_TEST_CASE(stays_the_same_when_constant) {
  const job::ScheduleSpec constant;
  BOOST_TEST(learningRate(rate(0.1), constant, 1, kEpoch) == 0.1);
  BOOST_TEST(learningRate(rate(0.1), constant, 1000, kEpoch) == 0.1);
}

BOOST_AUTO_TEST_CASE(falls_every_few_epochs_with_step) {
  const job::ScheduleSpec schedule{
      .name = job::ScheduleName::kStep, .every_epochs = 2, .factor = 0.5};
  BOOST_TEST(learningRate(rate(0.1), schedule, 20, kEpoch) == 0.1);
  BOOST_TEST(learningRate(rate(0.1), schedule, 21, kEpoch) == 0.05);
  BOOST_TEST(learningRate(rate(0.1), schedule, 61, kEpoch) == 0.0125);
}

BOOST_AUTO_TEST_CASE(falls_every_epoch_with_exponential) {
  const job::ScheduleSpec schedule{.name = job::ScheduleName::kExponential, .factor = 0.9};
  BOOST_TEST(learningRate(rate(0.1), schedule, 10, kEpoch) == 0.1);
  BOOST_TEST(learningRate(rate(0.1), schedule, 11, kEpoch) == 0.09);
  BOOST_TEST(learningRate(rate(0.1), schedule, 31, kEpoch) == 0.0729);
}

BOOST_AUTO_TEST_CASE(is_held_for_the_first_epochs_with_hold) {
  const job::ScheduleSpec schedule{
      .name = job::ScheduleName::kHold, .hold_epochs = 4, .factor = 0.5};
  BOOST_TEST(learningRate(rate(1.0), schedule, 40, kEpoch) == 1.0);
  BOOST_TEST(learningRate(rate(1.0), schedule, 41, kEpoch) == 0.5);
  BOOST_TEST(learningRate(rate(1.0), schedule, 51, kEpoch) == 0.25);
}

BOOST_AUTO_TEST_CASE(rises_evenly_while_warming_up) {
  const job::ScheduleSpec schedule{.warmup_steps = 4};
  BOOST_TEST(learningRate(rate(0.8), schedule, 1, kEpoch) == 0.2);
  BOOST_TEST(learningRate(rate(0.8), schedule, 3, kEpoch) == 0.6);
  BOOST_TEST(learningRate(rate(0.8), schedule, 4, kEpoch) == 0.8);
  BOOST_TEST(learningRate(rate(0.8), schedule, 5, kEpoch) == 0.8);
}

BOOST_AUTO_TEST_CASE(has_no_step_before_the_first) {
  BOOST_CHECK_THROW(learningRate(rate(0.1), {}, 0, kEpoch), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::learning_rate_test
