#include "base/process/stop_signal.h"

#include <csignal>
#include <future>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

namespace sumac::stop_signal_test {

BOOST_AUTO_TEST_SUITE(stop_signal, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(says_once_that_the_process_has_outlived_a_signal) {
  blockStopSignals();
  int signals = 0;  // of the signal's thread
  int overdue = 0;
  std::promise<void> told;
  std::promise<void> again;
  {
    const StopSignal watch(
        [&] {
          if (++signals == 2) again.set_value();
        },
        std::chrono::milliseconds(0),
        [&] {
          if (++overdue == 1) told.set_value();
        });
    ::kill(::getpid(), SIGTERM);
    told.get_future().wait();
    ::kill(::getpid(), SIGINT);
    again.get_future().wait();  // else it is pending for the next test
  }
  BOOST_TEST(signals == 2);
  BOOST_TEST(overdue == 1);
}

BOOST_AUTO_TEST_CASE(gives_the_process_its_time) {
  blockStopSignals();
  std::promise<void> asked;
  int overdue = 0;
  {
    const StopSignal watch([&] { asked.set_value(); }, std::chrono::hours(1), [&] { ++overdue; });
    ::kill(::getpid(), SIGTERM);
    asked.get_future().wait();
  }
  BOOST_TEST(overdue == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::stop_signal_test
