#include "operator/control/blocking_queue.h"

#include <atomic>
#include <future>
#include <latch>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::control::blocking_queue_test {
namespace {

using std::chrono::milliseconds;

const BlockingQueue::Key kA{"ns", "a"};

}  // namespace

BOOST_AUTO_TEST_SUITE(blocking_queue, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(wakes_who_waits_for_a_key) {
  const SystemClock clock;
  BlockingQueue queue(clock);
  std::promise<BlockingQueue::Key> taken;
  const std::jthread taker(
      [&](const std::stop_token& stop) { taken.set_value(*queue.take(stop)); });

  queue.add(kA);

  BOOST_TEST((taken.get_future().get() == kA));
}

BOOST_AUTO_TEST_CASE(gives_a_delayed_key_when_its_time_has_come) {
  const SystemClock clock;
  BlockingQueue queue(clock);
  const TimePoint begin = clock.now();
  queue.addAfter(kA, milliseconds(20));

  const auto key = queue.take(std::stop_token());

  BOOST_TEST((key == kA));
  BOOST_TEST((clock.now() - begin >= milliseconds(20)));
}

BOOST_AUTO_TEST_CASE(an_earlier_delay_shortens_a_wait_that_has_begun) {
  const SystemClock clock;
  BlockingQueue queue(clock);
  queue.addAfter(kA, std::chrono::hours(1));
  std::promise<void> taken;
  const std::jthread taker([&](const std::stop_token& stop) {
    if (queue.take(stop)) taken.set_value();
  });

  queue.addAfter(kA, milliseconds(1));

  taken.get_future().get();
}

BOOST_AUTO_TEST_CASE(a_stop_ends_every_wait) {
  const SystemClock clock;
  BlockingQueue queue(clock);
  queue.addAfter(kA, std::chrono::hours(1));
  std::atomic<int> ended = 0;
  {
    std::vector<std::jthread> takers;
    for (int i = 0; i < 4; ++i) {
      takers.emplace_back([&](const std::stop_token& stop) {
        if (!queue.take(stop)) ++ended;
      });
    }
  }
  BOOST_TEST(ended == 4);
}

// Many adders and takers: each key is on one thread at a time, and what was added last is seen.
BOOST_AUTO_TEST_CASE(no_key_is_on_two_threads_and_none_is_forgotten) {
  constexpr int kKeys = 5;
  constexpr int kAdds = 400;
  const SystemClock clock;
  BlockingQueue queue(clock);
  std::array<std::atomic<int>, kKeys> inside{};
  std::array<std::atomic<int>, kKeys> added{};
  std::array<std::atomic<int>, kKeys> seen{};
  std::atomic<int> collisions = 0;
  std::vector<std::jthread> takers;
  for (int i = 0; i < 4; ++i) {
    takers.emplace_back([&](const std::stop_token& stop) {
      while (const auto key = queue.take(stop)) {
        const auto k = static_cast<std::size_t>(std::stoi(key->name));
        if (inside[k].fetch_add(1) != 0) ++collisions;
        seen[k] = added[k].load();
        inside[k].fetch_sub(1);
        queue.done(*key);
      }
    });
  }
  {
    std::vector<std::jthread> adders;
    for (int i = 0; i < 2; ++i) {
      adders.emplace_back([&] {
        for (std::size_t n = 0; n < kAdds; ++n) {
          const std::size_t k = n % kKeys;
          ++added[k];
          if (n % 7 == 0) {
            queue.addAfter({"ns", std::to_string(k)}, std::chrono::microseconds(50));
          } else {
            queue.add({"ns", std::to_string(k)});
          }
        }
      });
    }
  }
  for (std::size_t k = 0; k < kKeys; ++k) {
    while (seen[k] != 2 * kAdds / kKeys)
      std::this_thread::yield();
  }
  BOOST_TEST(collisions == 0);
}

// Whoever waits is woken when a namespace comes below its limit.
BOOST_AUTO_TEST_CASE(keys_of_a_namespace_are_on_no_more_threads_than_its_limit) {
  constexpr int kLimit = 2;
  constexpr int kKeys = 40;
  const SystemClock clock;
  BlockingQueue queue(clock, kLimit);
  std::atomic<int> inside = 0;
  std::atomic<int> too_many = 0;
  std::latch all(kKeys);
  std::vector<std::jthread> takers;
  for (int i = 0; i < 4; ++i) {
    takers.emplace_back([&](const std::stop_token& stop) {
      while (const auto key = queue.take(stop)) {
        if (inside.fetch_add(1) >= kLimit) ++too_many;
        std::this_thread::yield();
        inside.fetch_sub(1);
        queue.done(*key);
        all.count_down();
      }
    });
  }
  for (int i = 0; i < kKeys; ++i)
    queue.add({"ns", std::to_string(i)});
  all.wait();
  BOOST_TEST(too_many == 0);
}

BOOST_AUTO_TEST_CASE(counts_adds_and_retries) {
  const SystemClock clock;
  BlockingQueue queue(clock);
  queue.add(kA);
  queue.add(kA);
  queue.addAfterFailure(kA);

  BOOST_TEST(queue.adds() == 2U);
  BOOST_TEST(queue.retries() == 1U);
  BOOST_TEST(queue.depth() == 1U);
  BOOST_TEST(queue.delayed() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control::blocking_queue_test
