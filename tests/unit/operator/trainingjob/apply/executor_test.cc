#include "operator/trainingjob/apply/executor.h"

#include <atomic>
#include <latch>
#include <stdexcept>

#include <boost/test/unit_test.hpp>

namespace sumac::trainingjob::executor_test {
namespace {

using Tasks = std::vector<std::function<void()>>;

BOOST_AUTO_TEST_SUITE(executor, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(every_task_of_every_caller_runs_once) {
  for (const int threads : {0, 1, 3}) {
    BOOST_TEST_CONTEXT(threads << " threads") {
      Executor executor(threads);
      std::atomic<int> runs = 0;
      std::vector<std::jthread> callers;
      for (int caller = 0; caller < 3; ++caller) {
        callers.emplace_back([&] {
          for (std::size_t size = 0; size < 20; ++size)
            executor.runAll(Tasks(size, [&] { runs.fetch_add(1); }));
        });
      }
      callers.clear();
      BOOST_TEST(runs == 3 * 190);
    }
  }
}

BOOST_AUTO_TEST_CASE(tasks_of_one_caller_run_side_by_side) {
  Executor executor(3);
  std::latch all(4);  // three threads and the caller: fewer would wait for ever
  executor.runAll(Tasks(4, [&] { all.arrive_and_wait(); }));
  BOOST_TEST(all.try_wait());
}

BOOST_AUTO_TEST_CASE(what_a_task_throws_comes_out_after_all_others_ran) {
  Executor executor(2);
  std::atomic<int> runs = 0;
  Tasks tasks(5, [&] { runs.fetch_add(1); });
  tasks.insert(tasks.begin(), [] { throw std::runtime_error("boom"); });
  BOOST_CHECK_THROW(executor.runAll(tasks), std::runtime_error);
  BOOST_TEST(runs == 5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::executor_test
