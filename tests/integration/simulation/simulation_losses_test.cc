#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "tests/integration/simulation/sim_checks.h"

// Members that are lost or hang where that is no ordinary loss: before the job begins, after its
// last step, in a stop, and with a trainer that hangs while its reactor answers.

namespace sumac {
namespace {

/// Calls `what` as soon as all workers have done `step`, and a moment later.
void afterStep(SimJob& job, const SimOptions& options, Step step,
               const std::function<void()>& what) {
  job.network().after(std::chrono::milliseconds(50), [&job, &options, step, what] {
    bool is_done = true;
    for (int i = 0; i < options.workers; ++i)
      is_done = is_done && job.lastStep(i) >= step;
    if (!is_done) return afterStep(job, options, step, what);
    job.network().after(std::chrono::milliseconds(50), what);
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simulation_losses)

BOOST_AUTO_TEST_CASE(a_member_that_does_not_come_ends_all_others_after_join_seconds) {
  for (const ExchangeMethod method : kSimMethods) {
    SimOptions options{.workers = 3};
    options.sumBy(method);
    options.limits.join = std::chrono::seconds(20);
    SimJob job(options);
    job.network().kill(Slot{Role::kWorker, 1});
    job.run();
    BOOST_TEST(job.ends().size() == static_cast<std::size_t>(options.processes() - 1));
    for (const auto& [slot, end] : job.ends()) {
      BOOST_TEST(toInt(end.code) == 75);
      BOOST_TEST(end.reason.starts_with("not all members joined within 20 s "
                                        "(spec.runPolicy.joinSeconds): worker 1"),
                 end.reason);
    }
  }
}

BOOST_AUTO_TEST_CASE(members_that_are_lost_after_their_last_step_end_nothing) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SimOptions options{.workers = 3, .servers = 2, .seed = seed};
    options.sumBy(simMethod(seed));
    options.steps_per_epoch = 100;  // one evaluation, at the end
    options.evaluation = std::chrono::seconds(20);
    if (seed > 5) options.break_every_us = 20'000;
    SimJob job(options);
    afterStep(job, options, options.steps, [&job, &options] {
      job.network().kill(Slot{Role::kWorker, 1});
      if (options.servers > 1) job.network().kill(Slot{Role::kServer, 1});
    });
    BOOST_TEST_CONTEXT("seed " << seed) {
      job.run();
      const int lost = options.servers > 1 ? 2 : 1;
      BOOST_TEST(job.ends().size() == static_cast<std::size_t>(options.processes() - lost));
      for (const auto& [slot, end] : job.ends())
        BOOST_TEST(toInt(end.code) == 0, slot << ": " << end.reason);
      BOOST_TEST((job.weights(0) == simReference(options, options.steps)));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_stop_in_a_long_evaluation_writes_a_checkpoint_by_a_worker_that_is_free) {
  for (const ExchangeMethod method : kSimMethods) {
    SimOptions options{.workers = 3, .steps = 100'000, .evaluation = std::chrono::seconds(60)};
    options.sumBy(method);
    SimJob job(options);
    const TimePoint begun = job.network().now();
    TimePoint written = begun + std::chrono::hours(1);
    const auto look = [&](const auto& again) -> void {
      if (job.checkpoint()) written = std::min(written, job.network().now());
      job.network().after(std::chrono::milliseconds(100), [&again] { again(again); });
    };
    look(look);
    job.network().after(std::chrono::seconds(2), [&job] { job.leave({Role::kWorker, 2}); });
    job.run();
    checkEnds(job, options, ExitCode::kStopped);
    BOOST_TEST((written - begun < std::chrono::seconds(14)));  // 12 s after the request
    BOOST_TEST_REQUIRE(job.checkpoint().has_value());
    BOOST_TEST(*job.checkpoint() == options.steps_per_epoch);
    checkCheckpoint(job, options);
  }
}

// The one that evaluates reports its weights when it is through, and waits for the answer.
BOOST_AUTO_TEST_CASE(a_stop_with_a_loss_is_over_when_those_that_live_have_the_weights) {
  for (const ExchangeMethod method : kSimMethods) {
    SimOptions options{.workers = 3, .steps = 100'000, .evaluation = std::chrono::seconds(5)};
    options.sumBy(method);
    SimJob job(options);
    TimePoint asked;
    afterStep(job, options, options.steps_per_epoch, [&job, &asked] {
      asked = job.network().now();
      job.leave({Role::kWorker, 1});
      job.network().kill(Slot{Role::kWorker, 2});
    });
    job.run();
    for (const auto& [slot, end] : job.ends())
      BOOST_TEST(toInt(end.code) == 143, slot << ": " << end.reason);
    BOOST_TEST((job.network().now() - asked < std::chrono::seconds(8)));
    BOOST_TEST_REQUIRE(job.checkpoint().has_value());
    checkCheckpoint(job, options);
  }
}

BOOST_AUTO_TEST_CASE(a_trainer_that_hangs_ends_the_job_and_is_named) {
  for (const ExchangeMethod method : kSimMethods) {
    for (const int hangs : {0, 1}) {  // 0 coordinates, where there are no servers
      SimOptions options{.workers = 3, .steps = 100'000, .hangs = hangs};
      options.sumBy(method);
      options.limits.stalled = std::chrono::seconds(10);
      SimJob job(options);
      job.run();
      checkEnds(job, options, ExitCode::kLostPeers);
      for (const auto& [slot, end] : job.ends())
        BOOST_TEST(end.reason == "lost worker " + std::to_string(hangs) +
                                     " (heartbeats, but no progress for 10 s, "
                                     "spec.runPolicy.stalledAfterSeconds)");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_long_evaluation_is_not_taken_for_a_hang) {
  SimOptions options{.workers = 3, .steps = 8, .evaluation = std::chrono::seconds(15)};
  options.limits.stalled = std::chrono::seconds(2);
  SimJob job(options);
  runToTheEnd(job, options);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
