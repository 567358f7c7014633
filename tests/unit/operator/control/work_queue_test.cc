#include "operator/control/work_queue.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <rapidcheck.h>

namespace sumac::control::work_queue_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const WorkQueue::Key kA{"ns", "a"};
const WorkQueue::Key kB{"ns", "b"};
const TimePoint kStart{};

/// The same promises, said as simply as possible and without regard to cost.
class Model {
 public:
  void add(const WorkQueue::Key& key) { wanted_.insert(key); }
  void addAfter(const WorkQueue::Key& key, TimePoint when) {
    const auto [entry, is_new] = delayed_.try_emplace(key, when);
    if (!is_new) entry->second = std::min(entry->second, when);
  }

  std::set<WorkQueue::Key> ready(TimePoint now) {
    for (auto it = delayed_.begin(); it != delayed_.end();) {
      const bool is_due = it->second <= now;
      if (is_due) wanted_.insert(it->first);
      it = is_due ? delayed_.erase(it) : std::next(it);
    }
    std::set<WorkQueue::Key> ready;
    std::set_difference(wanted_.begin(), wanted_.end(), working_.begin(), working_.end(),
                        std::inserter(ready, ready.end()));
    return ready;
  }
  void took(const WorkQueue::Key& key) {
    wanted_.erase(key);
    working_.insert(key);
  }
  void done(const WorkQueue::Key& key) { working_.erase(key); }
  const std::set<WorkQueue::Key>& working() const { return working_; }
  bool isEmpty() const { return wanted_.empty() && delayed_.empty(); }

 private:
  std::set<WorkQueue::Key> wanted_;
  std::set<WorkQueue::Key> working_;
  std::map<WorkQueue::Key, TimePoint> delayed_;
};

/// The queue and the model side by side.
struct Pair {
  WorkQueue queue;
  Model model;
  TimePoint now = kStart;

  /// Whether the queue gave what the model allows.
  bool take() {
    const auto ready = model.ready(now);
    const auto key = queue.take(now);
    if (!key) return ready.empty();
    if (!ready.contains(*key)) return false;
    model.took(*key);
    return true;
  }

  void finish(const WorkQueue::Key& key) {
    if (!model.working().contains(key)) return;
    queue.done(key, now);
    model.done(key);
  }

  bool apply(int kind, const WorkQueue::Key& key, milliseconds amount) {
    switch (kind) {
      case 0:
        queue.add(key);
        model.add(key);
        return true;
      case 1:
        queue.addAfter(key, now + amount);
        model.addAfter(key, now + amount);
        return true;
      case 2: finish(key); return true;
      case 3: now += amount; return true;
      default: return take();
    }
  }
};

struct BackoffCase {
  const char* name;
  int failures;  // before this one
  milliseconds wait;
};

std::ostream& operator<<(std::ostream& out, const BackoffCase& c) {
  return out << c.name;
}

const std::vector<BackoffCase> kBackoffCases = {
    {"first", 0, milliseconds(5)},
    {"second", 1, milliseconds(10)},
    {"last below the cap", 13, milliseconds(40960)},
    {"first at the cap", 14, seconds(60)},
    {"far beyond the cap", 1000, seconds(60)},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(work_queue)

BOOST_AUTO_TEST_CASE(hands_out_keys_in_the_order_of_their_coming) {
  WorkQueue queue;
  queue.add(kB);
  queue.add(kA);
  queue.add(kB);

  BOOST_TEST(queue.depth() == 2U);
  BOOST_TEST((queue.take(kStart) == kB));
  BOOST_TEST((queue.take(kStart) == kA));
  BOOST_TEST(!queue.take(kStart).has_value());
}

BOOST_AUTO_TEST_CASE(a_key_added_while_it_is_worked_on_comes_again_once) {
  WorkQueue queue;
  queue.add(kA);
  BOOST_REQUIRE(queue.take(kStart).has_value());

  queue.add(kA);
  queue.add(kA);
  BOOST_TEST(!queue.take(kStart).has_value());

  queue.done(kA, kStart);
  BOOST_TEST((queue.take(kStart) == kA));
  queue.done(kA, kStart);
  BOOST_TEST(!queue.take(kStart).has_value());
}

BOOST_AUTO_TEST_CASE(of_several_delays_the_earliest_counts) {
  WorkQueue queue;
  queue.addAfter(kA, kStart + seconds(3));
  queue.addAfter(kA, kStart + seconds(1));
  queue.addAfter(kA, kStart + seconds(2));

  BOOST_TEST((queue.nextDue() == kStart + seconds(1)));
  BOOST_TEST(!queue.take(kStart + seconds(1) - milliseconds(1)).has_value());
  BOOST_TEST((queue.take(kStart + seconds(1)) == kA));
  queue.done(kA, kStart);
  BOOST_TEST(!queue.nextDue().has_value());
}

BOOST_DATA_TEST_CASE(failures_in_a_row_wait_twice_as_long_each_but_at_most_a_minute,
                     boost::unit_test::data::make(kBackoffCases), sample) {
  WorkQueue queue;
  TimePoint now = kStart;
  for (int i = 0; i < sample.failures; ++i) {
    queue.addAfterFailure(kA, now);
    now += seconds(60);
    BOOST_REQUIRE(queue.take(now).has_value());
    queue.done(kA, now);
  }

  queue.addAfterFailure(kA, now);

  BOOST_TEST((queue.nextDue() == now + sample.wait));
}

BOOST_AUTO_TEST_CASE(success_forgets_failures) {
  WorkQueue queue;
  queue.addAfterFailure(kA, kStart);
  queue.addAfterFailure(kA, kStart);
  queue.forgetFailures(kA);
  BOOST_REQUIRE(queue.take(kStart + seconds(1)).has_value());
  queue.done(kA, kStart);

  queue.addAfterFailure(kA, kStart);

  BOOST_TEST((queue.nextDue() == kStart + WorkQueue::kFirstBackoff));
}

BOOST_AUTO_TEST_CASE(done_without_take_is_a_bug) {
  WorkQueue queue;
  queue.add(kA);

  BOOST_CHECK_THROW(queue.done(kA, kStart), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(no_worker_is_a_bug) {
  BOOST_CHECK_THROW(WorkQueue(0), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(keeps_its_promises_whatever_happens_in_whatever_order) {
  const bool holds = rc::check(
      "one key never twice at once, nothing lost, nothing invented, the earliest delay counts",
      [](const std::vector<std::tuple<std::uint8_t, std::uint8_t, std::uint8_t>>& steps) {
        Pair pair;
        for (const auto& [kind, name, amount] : steps) {
          const WorkQueue::Key key{"ns", std::string(1, static_cast<char>('a' + name % 3))};
          RC_ASSERT(pair.apply(kind % 6, key, milliseconds(amount)));
        }
        pair.now += seconds(3600);
        const std::set<WorkQueue::Key> working = pair.model.working();
        for (const auto& key : working)
          pair.finish(key);
        for (int i = 0; i < 3; ++i)
          RC_ASSERT(pair.take());
        RC_ASSERT(pair.model.isEmpty());
        RC_ASSERT(!pair.queue.nextDue().has_value());
      });
  BOOST_TEST(holds);
}

BOOST_AUTO_TEST_CASE(next_due_is_when_take_gives_something) {
  const bool holds =
      rc::check("before nextDue() nothing comes, at it something may",
                [](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& delays) {
                  WorkQueue queue;
                  for (const auto& [name, amount] : delays) {
                    queue.addAfter({"ns", std::to_string(name)}, kStart + milliseconds(amount + 1));
                  }
                  RC_ASSERT(queue.nextDue().has_value() != delays.empty());
                  if (delays.empty()) return;
                  const TimePoint due = *queue.nextDue();
                  RC_ASSERT(!queue.take(due - milliseconds(1)).has_value());
                  RC_ASSERT(queue.take(due).has_value());
                });
  BOOST_TEST(holds);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control::work_queue_test
