#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <rapidcheck.h>

#include "operator/control/work_queue.h"

// How namespaces share the workers of a WorkQueue.

namespace sumac::control::shared_queue_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const WorkQueue::Key kA{"ns", "a"};
const WorkQueue::Key kB{"ns", "b"};
const TimePoint kStart{};

/// A queue that several namespaces share, and what it may give.
struct Shared {
  explicit Shared(int all) : workers(all), queue(all) {}

  const int workers;
  WorkQueue queue;
  std::map<std::string, std::vector<WorkQueue::Key>> ready;  // by namespace, in order
  std::vector<WorkQueue::Key> working;
  std::map<WorkQueue::Key, TimePoint> taken;
  std::set<std::string> slow;
  TimePoint now = kStart;
  int added = 0;

  int inWork(const std::string& name_space) const {
    return static_cast<int>(
        std::count_if(working.begin(), working.end(),
                      [&](const WorkQueue::Key& key) { return key.name_space == name_space; }));
  }
  bool isFree(const std::string& name_space) const {
    const auto found = ready.find(name_space);
    if (found == ready.end() || found->second.empty()) return false;
    const bool is_last = workers > 1 && std::ssize(working) == workers - 1;
    if (is_last) return inWork(name_space) == 0 && !slow.contains(name_space);
    return inWork(name_space) < std::max(workers / 2, 1);
  }

  bool hasFree() const {
    return std::any_of(ready.begin(), ready.end(),
                       [&](const auto& entry) { return isFree(entry.first); });
  }

  void add(int which) {
    const WorkQueue::Key key{"ns" + std::to_string(which % 3), std::to_string(added++)};
    queue.add(key);
    ready[key.name_space].push_back(key);
  }

  /// Whether the queue gave the first key of a namespace that may have a worker, or rightly none.
  bool take() {
    if (std::ssize(working) == workers) return true;
    BOOST_TEST(queue.nextDue().has_value() == hasFree());
    const auto key = queue.take(now);
    if (!key) return !hasFree();
    auto& first = ready[key->name_space];
    if (!isFree(key->name_space) || first.front() != *key) return false;
    first.erase(first.begin());
    working.push_back(*key);
    taken[*key] = now;
    return true;
  }

  /// A namespace of which one key took long stays slow for the rest of the test.
  void finish(std::size_t which, bool is_slow) {
    if (working.empty()) return;
    if (is_slow) now += WorkQueue::kSlow;
    const auto chosen = working.begin() + static_cast<std::ptrdiff_t>(which % working.size());
    if (now - taken.at(*chosen) >= WorkQueue::kSlow) slow.insert(chosen->name_space);
    queue.done(*chosen, now);
    working.erase(chosen);
  }

  bool apply(int kind, int which) {
    if (kind % 4 == 0) add(which);
    if (kind % 4 == 1) finish(static_cast<std::size_t>(which), which % 8 == 0);
    return kind % 4 < 2 || take();
  }

  /// Whether all that is left comes, one after the other.
  bool drain() {
    while (queue.depth() > 0) {
      finish(0, /*is_slow=*/false);
      if (!take()) return false;
    }
    return std::all_of(ready.begin(), ready.end(),
                       [](const auto& entry) { return entry.second.empty(); });
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(shared_queue)

BOOST_AUTO_TEST_CASE(a_namespace_at_its_limit_is_passed_over_until_one_of_its_keys_is_done) {
  const WorkQueue::Key other{"other", "a"};
  WorkQueue queue(/*workers=*/2);
  queue.add(kA);
  queue.add(kB);
  queue.add(other);

  BOOST_TEST((queue.take(kStart) == kA));
  BOOST_TEST((queue.take(kStart) == other));
  BOOST_TEST(!queue.take(kStart).has_value());
  BOOST_TEST(!queue.nextDue().has_value());
  BOOST_TEST(queue.depth() == 1U);

  queue.done(other, kStart);
  BOOST_TEST(!queue.take(kStart).has_value());
  queue.add(other);
  queue.done(kA, kStart);
  BOOST_TEST((queue.take(kStart) == kB));  // it came first
  BOOST_TEST((queue.take(kStart) == other));
}

BOOST_AUTO_TEST_CASE(a_delayed_key_of_a_namespace_at_its_limit_waits_for_its_turn) {
  WorkQueue queue(/*workers=*/2);
  queue.add(kA);
  BOOST_REQUIRE(queue.take(kStart).has_value());
  queue.addAfter(kB, kStart + seconds(1));

  BOOST_TEST(!queue.take(kStart + seconds(1)).has_value());
  BOOST_TEST(!queue.nextDue().has_value());
  queue.done(kA, kStart);
  BOOST_TEST((queue.take(kStart + seconds(1)) == kB));
}

BOOST_AUTO_TEST_CASE(a_key_that_is_done_and_due_again_waits_behind_its_namespace) {
  WorkQueue queue(/*workers=*/2);
  queue.add(kA);
  BOOST_REQUIRE(queue.take(kStart).has_value());
  queue.add(kB);
  queue.add(kA);

  queue.done(kA, kStart);

  BOOST_TEST((queue.take(kStart) == kB));
  queue.done(kB, kStart);
  BOOST_TEST((queue.take(kStart) == kA));
}

BOOST_AUTO_TEST_CASE(two_namespaces_leave_a_worker_to_a_third_one) {
  WorkQueue queue(/*workers=*/4);
  for (const char* name : {"1", "2", "3", "4"}) {
    queue.add({"a", name});
    queue.add({"b", name});
  }
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(queue.take(kStart).has_value());
  BOOST_TEST(!queue.take(kStart).has_value());
  BOOST_TEST(!queue.nextDue().has_value());  // or a worker would ask again and again
  queue.add(kA);
  BOOST_TEST((queue.take(kStart) == kA));
}

BOOST_AUTO_TEST_CASE(any_number_of_slow_namespaces_leaves_a_worker_to_one_that_is_not) {
  WorkQueue queue(/*workers=*/4);
  std::vector<WorkQueue::Key> slow;
  for (const char* name : {"a", "b", "c", "d", "e"})
    slow.push_back({name, "job"});
  TimePoint now = kStart;
  for (const WorkQueue::Key& key : slow) {
    queue.add(key);
    BOOST_REQUIRE(queue.take(now).has_value());
    queue.done(key, now += WorkQueue::kSlow);
  }
  for (const WorkQueue::Key& key : slow)
    queue.add(key);
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(queue.take(now).has_value());
  BOOST_TEST(!queue.take(now).has_value());
  BOOST_TEST(!queue.nextDue().has_value());
  queue.add(kA);
  BOOST_TEST((queue.take(now) == kA));
}

BOOST_AUTO_TEST_CASE(a_namespace_is_slow_for_a_while_whatever_else_is_done_for_it) {
  const WorkQueue::Key slow{"slow", "a"};
  const WorkQueue::Key idle{"slow", "b"};
  WorkQueue queue(/*workers=*/2);
  queue.add(slow);
  BOOST_REQUIRE(queue.take(kStart).has_value());
  TimePoint now = kStart + WorkQueue::kSlow;
  queue.done(slow, now);
  const auto isLast = [&] {  // to have the last worker
    queue.add(idle);
    BOOST_REQUIRE((queue.take(now) == idle));
    queue.done(idle, now);  // took no time
    queue.add(kA);
    BOOST_REQUIRE((queue.take(now) == kA));
    queue.add(slow);
    const bool has = queue.take(now).has_value();
    queue.done(kA, now);
    if (!has) BOOST_REQUIRE(queue.take(now).has_value());
    queue.done(slow, now);
    return has;
  };

  BOOST_TEST(!isLast());
  now += WorkQueue::kSlowFor;
  BOOST_TEST(!isLast());
  now += milliseconds(1);
  BOOST_TEST(isLast());
}

BOOST_AUTO_TEST_CASE(a_single_worker_is_for_all) {
  WorkQueue queue(/*workers=*/1);
  queue.add(kA);
  BOOST_REQUIRE(queue.take(kStart).has_value());
  queue.done(kA, kStart + WorkQueue::kSlow);
  queue.add(kA);
  BOOST_TEST((queue.take(kStart + WorkQueue::kSlow) == kA));
}

// Keys of three namespaces come, are taken and done in any order; none is added while it is worked
// on, so the order of each namespace is that of the adds.
BOOST_AUTO_TEST_CASE(no_namespace_is_above_its_limit_and_every_key_is_taken_in_order) {
  const bool holds = rc::check("limits and order of namespaces",
                               [](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& steps) {
                                 Shared shared(*rc::gen::inRange(1, 7));
                                 for (const auto& [kind, which] : steps)
                                   RC_ASSERT(shared.apply(kind, which));
                                 RC_ASSERT(shared.drain());
                               });
  BOOST_TEST(holds);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control::shared_queue_test
