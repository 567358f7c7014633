#include "base/process/core_wait.h"

#include <atomic>
#include <cstddef>
#include <sched.h>
#include <thread>

#include <boost/test/unit_test.hpp>

namespace sumac::core_wait_test {
namespace {

/// Keeps the calling thread on the core that it is on.
void stayHere() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
  BOOST_REQUIRE(::sched_setaffinity(0, sizeof(one), &one) == 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_wait)

BOOST_AUTO_TEST_CASE(two_threads_that_share_a_core_wait_for_it) {
  const double before = secondsWithoutCore();
  std::atomic<bool> is_over = false;
  std::thread first([&is_over] {
    stayHere();
    std::thread second([&is_over] {  // on the same core, as its threads are
      while (!is_over)
        continue;
    });
    while (secondsWithoutCore() <= 0)
      continue;
    is_over = true;
    second.join();
  });
  first.join();
  BOOST_TEST(before >= 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::core_wait_test
