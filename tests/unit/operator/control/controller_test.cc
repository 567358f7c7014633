#include "operator/control/controller.h"

#include <atomic>
#include <future>
#include <latch>
#include <map>
#include <mutex>
#include <stdexcept>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "tests/support/manual_clock.h"

namespace sumac::control::controller_test {
namespace {

using Key = BlockingQueue::Key;

/// Does what the test says, by the name of the key.
class Script final : public Reconciler {
 public:
  using Pass = std::function<PassResult(const std::stop_token&)>;

  PassResult reconcile(const api::ObjectKey& key, const std::stop_token& stop) override {
    return passes.at(key.name)(stop);
  }

  std::map<std::string, Pass> passes;
};

struct Fixture {
  SystemClock clock;
  BlockingQueue queue{clock};
  Script script;
  Metrics registry;
  OperatorMetrics metrics{registry};
  Controller controller{queue, script, metrics, clock, Log::discarding()};

  bool hasLine(const std::string& line) const {
    return registry.text().find(line + "\n") != std::string::npos;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(controller, Fixture, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(nothing_is_reconciled_before_the_start) {
  std::promise<void> reconciled;
  script.passes["a"] = [&](const std::stop_token&) {
    reconciled.set_value();
    return PassResult{};
  };
  queue.add({"ns", "a"});
  BOOST_TEST(queue.depth() == 1U);

  controller.start(1);

  reconciled.get_future().get();
}

BOOST_AUTO_TEST_CASE(a_failed_pass_comes_again) {
  std::promise<void> again;
  int passes = 0;
  script.passes["a"] = [&](const std::stop_token&) {
    if (++passes == 3) again.set_value();
    return PassResult{passes < 3, std::nullopt};
  };
  queue.add({"ns", "a"});

  controller.start(2);
  again.get_future().get();
  controller.stop();

  BOOST_TEST(queue.retries() == 2U);
  BOOST_TEST(hasLine("sumac_operator_reconciles_total{result=\"failed\"} 2"));
  BOOST_TEST(hasLine("sumac_operator_reconciles_total{result=\"done\"} 1"));
}

BOOST_AUTO_TEST_CASE(a_pass_that_asks_for_it_comes_again_without_counting_as_failed) {
  std::promise<void> again;
  int passes = 0;
  script.passes["a"] = [&](const std::stop_token&) {
    if (++passes == 2) again.set_value();
    PassResult result;
    if (passes == 1) result.again_after = std::chrono::milliseconds(1);
    return result;
  };
  queue.add({"ns", "a"});

  controller.start(1);
  again.get_future().get();
  controller.stop();

  BOOST_TEST(queue.retries() == 0U);
}

BOOST_AUTO_TEST_CASE(a_bug_that_one_job_finds_does_not_stop_the_others) {
  std::promise<void> other;
  script.passes["bad"] = [](const std::stop_token&) -> PassResult {
    throw InvariantViolation("a test");
  };
  script.passes["worse"] = [](const std::stop_token&) -> PassResult {
    throw std::runtime_error("a test");
  };
  script.passes["good"] = [&](const std::stop_token&) {
    other.set_value();
    return PassResult{};
  };
  for (const char* name : {"bad", "worse", "good"})
    queue.add({"ns", name});

  controller.start(1);
  other.get_future().get();
  controller.stop();

  BOOST_TEST(queue.retries() >= 2U);
}

BOOST_AUTO_TEST_CASE(stopping_waits_for_the_pass_that_has_begun_and_tells_it) {
  std::promise<void> begun;
  std::atomic<bool> has_ended = false;
  script.passes["a"] = [&](const std::stop_token& stop) {
    begun.set_value();
    while (!stop.stop_requested())
      std::this_thread::yield();
    has_ended = true;
    return PassResult{};
  };
  queue.add({"ns", "a"});
  controller.start(1);
  begun.get_future().get();

  controller.stop();

  BOOST_TEST(has_ended);
}

BOOST_AUTO_TEST_CASE(does_not_start_after_its_end) {
  controller.stop();
  controller.start(1);
  queue.add({"ns", "a"});

  BOOST_TEST(queue.depth() == 1U);
}

BOOST_AUTO_TEST_CASE(a_long_pass_shows) {
  ManualClock manual;
  manual.advance(std::chrono::seconds(5));
  Controller slow(queue, script, metrics, manual, Log::discarding());
  std::promise<void> begun;
  std::promise<void> may_end;
  script.passes["a"] = [&](const std::stop_token&) {
    begun.set_value();
    may_end.get_future().get();
    return PassResult{};
  };
  BOOST_TEST((slow.longestPass(manual.now()) == Duration::zero()));
  queue.add({"ns", "a"});
  slow.start(2);
  begun.get_future().get();

  BOOST_TEST((slow.longestPass(manual.now() + std::chrono::hours(1)) == std::chrono::hours(1)));

  may_end.set_value();
  slow.stop();
  BOOST_TEST((slow.longestPass(manual.now()) == Duration::zero()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control::controller_test
