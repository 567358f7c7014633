#include "exchange/course/step_timer.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/manual_clock.h"

namespace sumac::worker::step_timer_test {
namespace {

void runStep(StepTimer& timer, ManualClock& clock, std::chrono::milliseconds length) {
  timer.begin(clock.now());
  clock.advance(length);
  timer.end(clock.now());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(step_timer)

BOOST_AUTO_TEST_CASE(knows_no_speed_before_the_first_step) {
  BOOST_TEST(StepTimer().stepsPerSecond() == 0.0);
}

BOOST_AUTO_TEST_CASE(leaves_out_the_first_three_steps_and_the_time_between_steps) {
  StepTimer timer;
  ManualClock clock;
  for (int i = 0; i < 3; ++i)
    runStep(timer, clock, std::chrono::milliseconds(1000));
  for (int i = 0; i < 4; ++i) {
    clock.advance(std::chrono::seconds(9));
    runStep(timer, clock, std::chrono::milliseconds(100));
  }

  BOOST_TEST(timer.stepsPerSecond() == 10.0, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(counts_the_warm_up_when_there_is_nothing_else) {
  StepTimer timer;
  ManualClock clock;
  runStep(timer, clock, std::chrono::milliseconds(500));

  BOOST_TEST(timer.stepsPerSecond() == 2.0, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::step_timer_test
