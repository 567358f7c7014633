#include "engine/nn/compute_pool.h"

#include <atomic>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"

namespace sumac::worker::compute_pool_test {

BOOST_AUTO_TEST_SUITE(compute_pool)

BOOST_AUTO_TEST_CASE(does_every_task_once_whatever_the_number_of_threads) {
  for (const int threads : {1, 2, 3, 5}) {
    ComputePool pool(threads);
    BOOST_TEST(pool.threads() == threads);
    for (const std::size_t tasks : {0U, 1U, 2U, 3U, 64U, 1000U}) {
      std::vector<int> times(tasks);
      pool.run(tasks, [&](std::size_t task) { ++times[task]; });
      BOOST_TEST(times == std::vector<int>(tasks, 1));
    }
  }
}

BOOST_AUTO_TEST_CASE(shows_a_run_what_the_one_before_it_wrote) {
  constexpr std::size_t kTasks = 7;
  ComputePool pool(3);
  std::vector<std::size_t> values(kTasks);
  for (std::size_t round = 0; round < 5000; ++round) {
    std::vector<std::size_t> next(kTasks);
    pool.run(kTasks, [&](std::size_t task) { next[task] = values[(task + 1) % kTasks] + 1; });
    values = next;
  }
  BOOST_TEST(values == std::vector<std::size_t>(kTasks, 5000), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(shares_tasks_that_wait_for_each_other) {
  ComputePool pool(2);
  std::atomic<int> arrived = 0;
  std::vector<std::thread::id> who(2);
  pool.run(2, [&](std::size_t task) {
    who[task] = std::this_thread::get_id();
    ++arrived;
    while (arrived < 2)
      std::this_thread::yield();
  });
  BOOST_TEST((who[0] != who[1]));
}

BOOST_AUTO_TEST_CASE(stops_cleanly_awake_or_asleep_and_before_any_task) {
  for (int i = 0; i < 200; ++i) {
    ComputePool pool(4);
    if (i % 2 == 0) pool.run(3, [](std::size_t) {});
  }
}

BOOST_AUTO_TEST_CASE(has_at_least_one_thread) {
  BOOST_CHECK_THROW(ComputePool(0), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::compute_pool_test
