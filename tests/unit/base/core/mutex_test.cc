#include "base/core/mutex.h"

#include <future>
#include <stop_token>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::mutex_test {
namespace {

struct Counter {
  Mutex mutex;
  Condition changed;
  int value SUMAC_GUARDED_BY(mutex) = 0;
};

void add(Counter& counter) {
  {
    const MutexLock lock(counter.mutex);
    ++counter.value;
  }
  counter.changed.notifyAll();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mutex, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(one_thread_at_a_time_holds_the_lock) {
  constexpr int kThreads = 4;
  constexpr int kTimes = 5000;
  Counter counter;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&counter] {
        for (int time = 0; time < kTimes; ++time)
          add(counter);
      });
    }
  }
  const MutexLock lock(counter.mutex);
  BOOST_TEST(counter.value == kThreads * kTimes);
}

BOOST_AUTO_TEST_CASE(an_unlocked_lock_lets_others_in) {
  Counter counter;
  MutexLock lock(counter.mutex);
  lock.unlock();
  {
    const std::jthread other([&counter] { add(counter); });
  }
  lock.lock();
  BOOST_TEST(counter.value == 1);
}

BOOST_AUTO_TEST_CASE(a_notification_ends_each_kind_of_wait) {
  Counter counter;
  const std::stop_token never;
  const std::jthread other([&counter] {
    for (int i = 0; i < 5; ++i) {
      add(counter);
      MutexLock lock(counter.mutex);
      while (counter.value != 0)
        counter.changed.wait(lock);
    }
  });
  const auto wait = [&](const auto& how) {
    {
      MutexLock lock(counter.mutex);
      while (counter.value == 0)
        how(lock);
      counter.value = 0;
    }
    counter.changed.notifyAll();
  };
  wait([&](MutexLock& lock) { counter.changed.wait(lock); });
  wait([&](MutexLock& lock) { counter.changed.wait(lock, never); });
  wait([&](MutexLock& lock) { counter.changed.waitUntil(lock, never, TimePoint::max()); });
  wait([&](MutexLock& lock) { counter.changed.waitUntil(lock, kNever); });
  wait([&](MutexLock& lock) { counter.changed.waitFor(lock, never, std::chrono::hours(1)); });
}

BOOST_AUTO_TEST_CASE(a_stop_ends_a_wait_with_the_lock_held) {
  Counter counter;
  std::promise<void> locked;
  std::jthread waiter([&](const std::stop_token& stop) {
    MutexLock lock(counter.mutex);
    locked.set_value();
    while (!stop.stop_requested())
      counter.changed.wait(lock, stop);
    while (!stop.stop_requested())
      counter.changed.waitUntil(lock, stop, TimePoint::max());
    counter.value = 7;
  });
  locked.get_future().wait();
  waiter.request_stop();
  waiter.join();

  const MutexLock lock(counter.mutex);
  BOOST_TEST(counter.value == 7);
}

BOOST_AUTO_TEST_CASE(time_ends_a_wait) {
  Counter counter;
  const std::stop_token never;
  MutexLock lock(counter.mutex);
  counter.changed.waitUntil(lock, never, TimePoint());
  counter.changed.waitFor(lock, never, Duration::zero());
  BOOST_TEST(!counter.changed.waitUntil(lock, TimePoint()));

  BOOST_TEST(counter.value == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::mutex_test
