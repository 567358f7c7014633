#include "base/process/core_wait.h"

#include <atomic>
#include <cstddef>
#include <fstream>
#include <sched.h>
#include <thread>

#include <boost/test/unit_test.hpp>

namespace sumac::core_wait_test {
namespace {

/// Keeps the calling thread, and those that it starts, on the core that it is on.
bool staysHere() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
  return ::sched_setaffinity(0, sizeof(one), &one) == 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_wait)

BOOST_AUTO_TEST_CASE(two_threads_that_share_a_core_wait_for_it) {
  if (!std::ifstream("/proc/self/schedstat")) return;  // this kernel does not say
  bool is_here = false;
  std::atomic<bool> is_over = false;
  std::thread first([&] {
    is_here = staysHere();
    std::thread second([&is_over] {
      while (!is_over)
        continue;
    });
    const double before = secondsWithoutCore();
    while (is_here && secondsWithoutCore() <= before)
      continue;
    is_over = true;
    second.join();
  });
  first.join();
  BOOST_TEST(is_here);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::core_wait_test
