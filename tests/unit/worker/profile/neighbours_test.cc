#include "worker/profile/neighbours.h"

#include <atomic>
#include <new>

#include <boost/test/unit_test.hpp>

namespace sumac::worker::neighbours_test {
namespace {

constexpr Duration kLimit = std::chrono::seconds(60);

/// Passes until it is told to stop.
void keepComputing(const std::function<void()>& onPass, const std::stop_token& stop) {
  while (!stop.stop_requested())
    onPass();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(neighbours)

BOOST_AUTO_TEST_CASE(whoever_measures_waits_until_all_have_computed_once) {
  std::atomic<int> computed = 0;
  Neighbours all(3, [&](const auto& onPass, const auto& stop) {
    ++computed;
    keepComputing(onPass, stop);
  });
  BOOST_TEST(all.awaitFirstPasses(kLimit) == 3);
  BOOST_TEST(computed == 3);
}

BOOST_AUTO_TEST_CASE(one_that_throws_or_gives_up_is_not_waited_for) {
  std::atomic<int> begun = 0;
  Neighbours all(3, [&](const auto& onPass, const auto& stop) {
    const int number = ++begun;
    if (number == 1) throw std::bad_alloc();
    if (number == 2) return;
    keepComputing(onPass, stop);
  });
  BOOST_TEST(all.awaitFirstPasses(kLimit) == 1);
}

BOOST_AUTO_TEST_CASE(the_wait_for_one_that_never_computes_ends) {
  Neighbours all(1, [](const auto&, const std::stop_token& stop) {
    Mutex mutex;
    Condition never;
    MutexLock lock(mutex);
    while (!stop.stop_requested())
      never.wait(lock, stop);
  });
  BOOST_TEST(all.awaitFirstPasses(std::chrono::milliseconds(1)) == 0);
}

BOOST_AUTO_TEST_CASE(there_are_as_many_as_cores_and_memory_allow) {
  BOOST_TEST(neighboursFor(8, 2, 1'000, 1'000'000) == 3);
  BOOST_TEST(neighboursFor(2, 2, 1'000, 1'000'000) == 0);
  BOOST_TEST(neighboursFor(1, 2, 1'000, 1'000'000) == 0);
  BOOST_TEST(neighboursFor(64, 1, 1'000, 8'000) == 7);  // an eighth stays free
  BOOST_TEST(neighboursFor(64, 1, 1'000, 999) == 0);
  BOOST_TEST(neighboursFor(64, 1, 0, UINT64_MAX) == 63);
}

BOOST_AUTO_TEST_CASE(reads_how_much_memory_is_left) {
  BOOST_TEST(availableMemory("MemTotal:  9 kB\nMemAvailable:   2048 kB\n").value() == 2'097'152U);
  BOOST_TEST(!availableMemory("MemTotal:  9 kB\n").has_value());
  BOOST_TEST(!availableMemory("MemAvailable:").has_value());
  BOOST_TEST(!availableMemory("MemAvailable: 18446744073709551615 kB").has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::neighbours_test
