#include "planner/autoscaling/simulated_job.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "planner/autoscaling/clairvoyant.h"
#include "planner/autoscaling/useful_sizes.h"

namespace sumac::autoscaling::simulated_job_test {
namespace {

const auto kClose = boost::test_tools::tolerance(1e-9);

using Kind = SimulatedEvent::Kind;

/// V = 8, 8 s of computing in all, and an exchange of 0.5 s.
SimulatedJob job(double steps = 1000) {
  SimulatedJob job;
  job.parts = 8;
  job.max_workers = 8;
  job.steps = steps;
  job.step = [](int workers) {
    const double compute = busiestParts(8, workers);
    return TrueStep{compute + 0.5, compute};
  };
  return job;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simulated_job)

BOOST_AUTO_TEST_CASE(a_fixed_size_takes_its_steps) {
  SimulatedJob four = job(100);
  four.first_workers = 4;
  four.servers = 1;
  four.prices = {.worker_hour = 3600, .server_hour = 1800};
  const SimulatedRun run = simulate(four, fixedSize(4));

  BOOST_TEST(run.seconds == 250.0, kClose);
  BOOST_TEST(run.worker_seconds == 1000.0, kClose);
  BOOST_TEST(run.server_seconds == 250.0, kClose);
  BOOST_TEST(run.cost == 1000 + 125.0, kClose);
  BOOST_TEST(run.changes.empty());
}

BOOST_AUTO_TEST_CASE(a_policy_changes_the_size_and_stands_still_meanwhile) {
  const SimulatedRun run = simulate(job(), byPolicy({.goal = Goal::kThroughput}));

  BOOST_REQUIRE_EQUAL(run.changes.size(), 1U);
  const SizeChange& change = run.changes.front();
  BOOST_TEST(change.from == 1);
  BOOST_TEST(change.decision.workers == 8);
  BOOST_TEST((change.decision.reason == Reason::kSavesTime));
  BOOST_TEST(run.changing_seconds == kChangeInPlaceSeconds);
  // The first size 8.5 s a step until it is known, then 1.5 s.
  const double first = change.at / 8.5;
  BOOST_TEST(run.seconds == change.at + kChangeInPlaceSeconds + (1000 - first) * 1.5, kClose);
}

BOOST_AUTO_TEST_CASE(where_room_is_cut_the_job_trains_with_fewer_and_grows_when_it_is_back) {
  SimulatedJob cut = job(2000);
  cut.first_workers = 4;
  cut.max_workers = 4;
  cut.events = {{.at = 300, .kind = Kind::kRoom, .workers = 2},
                {.at = 900, .kind = Kind::kRoom, .workers = 0}};
  const SimulatedRun run = simulate(cut, byPolicy({.goal = Goal::kThroughput}));

  BOOST_REQUIRE_EQUAL(run.changes.size(), 2U);
  BOOST_TEST(run.changes[0].decision.workers == 2);
  BOOST_TEST((run.changes[0].decision.reason == Reason::kRoom));
  BOOST_TEST(run.changes[0].at < 300 + 15);
  BOOST_TEST(run.changes[1].decision.workers == 4);
  BOOST_TEST(run.changes[1].at >= 900);
  BOOST_TEST(run.changes[1].at < 900 + 60);

  BOOST_REQUIRE_EQUAL(run.phases.size(), 3U);
  BOOST_TEST(run.phases[0].workers == 4);
  BOOST_TEST(run.phases[1].workers == 2);
  BOOST_TEST(run.phases[1].begin >= 300);
  BOOST_TEST(run.phases[1].worker_seconds == 4 * run.phases[1].begin, kClose);
  BOOST_TEST(run.phases[2].workers == 4);
  BOOST_TEST(run.phases[2].begin == run.changes[1].at, kClose);
}

BOOST_AUTO_TEST_CASE(a_slow_worker_slows_all_steps_in_which_it_is) {
  SimulatedJob slow = job(100);
  slow.events = {{.at = 0, .kind = Kind::kSlow, .worker = 1, .factor = 2}};
  slow.first_workers = 2;
  BOOST_TEST(simulate(slow, fixedSize(2)).seconds == 850.0, kClose);
  slow.first_workers = 1;
  BOOST_TEST(simulate(slow, fixedSize(1)).seconds == 850.0, kClose);
}

namespace {

/// One whose exchange is as expected.
SimulatedJob expecting(std::vector<ExpectedStep> expected) {
  SimulatedJob expecting = job(2000);
  expecting.expected = std::move(expected);
  expecting.step = [steps = expecting.expected](int workers) {
    const ExpectedStep& one = *std::ranges::find(steps, workers, &ExpectedStep::workers);
    return TrueStep{one.compute + one.exchange, one.compute};
  };
  return expecting;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_job_grows_away_from_a_slow_worker_or_goes_on_without_it) {
  SimulatedJob slow = expecting({{1, 8, 0}, {2, 4, 0.5}, {3, 3, 2}, {4, 2, 3}, {8, 1, 6}});
  const auto end = [&slow](int worker) {
    slow.events = {{.at = 600, .kind = Kind::kSlow, .worker = worker, .factor = 3}};
    return simulate(slow, byPolicy({.goal = Goal::kThroughput})).phases.back().workers;
  };
  // 8, 4.5, 5, 5 and 7 s; with the first worker slow 24, 12.5, 8 (it has two of eight parts), 9 and
  // 9 s; without the second one 8 s.
  BOOST_TEST(end(7) == 2);
  BOOST_TEST(end(0) == 3);
  BOOST_TEST(end(1) == 1);
}

BOOST_AUTO_TEST_CASE(a_budget_is_kept_though_a_worker_becomes_slow) {
  SimulatedJob slow = expecting({{1, 8, 0}, {2, 4, 0.5}, {3, 3, 0.6}, {4, 2, 0.7}, {8, 1, 1.2}});
  slow.servers = 1;
  slow.prices = {.worker_hour = 1, .server_hour = 1};
  for (const double at : {600, 1500, 3000}) {
    slow.events = {{.at = at, .kind = Kind::kSlow, .worker = 1, .factor = 3}};
    const double cheapest = simulate(slow, fixedSize(1)).cost;
    for (const double share : {1.1, 1.3, 1.6, 2.0}) {
      const double budget = share * cheapest;
      const SimulatedRun run =
          simulate(slow, byPolicy({.goal = Goal::kCost, .prices = slow.prices, .budget = budget}));
      BOOST_TEST(run.cost <= budget);
      BOOST_TEST(run.changes.size() <= 5U);
    }
  }
}

// Every third of these jobs went 2, 1, 2, 1: one worker had been observed for half a minute.
BOOST_AUTO_TEST_CASE(noise_takes_no_job_with_a_deadline_and_a_slow_worker_there_and_back_again) {
  SimulatedJob slow = expecting({{1, 8, 0}, {2, 4, 0.5}, {3, 3, 0.6}, {4, 2, 0.7}, {8, 1, 1.2}});
  slow.steps = 1000;
  slow.prices = {.worker_hour = 1};
  slow.noise = [](std::int64_t window) {
    return 0.9 + 0.002 * static_cast<double>(window * window * 31 % 101);
  };
  for (const double at : {600, 1800}) {
    slow.events = {{.at = at, .kind = Kind::kSlow, .worker = 1, .factor = 1.5}};
    for (int deadline = 5500; deadline < 8000; deadline += 25) {
      const auto changes = simulate(slow, byPolicy({.goal = Goal::kDeadline,
                                                    .deadline_seconds = 1.0 * deadline,
                                                    .prices = slow.prices}))
                               .changes;
      for (std::size_t i = 2; i < changes.size(); ++i)
        BOOST_TEST((changes[i - 2].at <= at || changes[i].from != changes[i - 2].from ||
                    changes[i].decision.workers != changes[i - 2].decision.workers));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_killed_worker_costs_a_change_and_a_pace_all_steps) {
  SimulatedJob killed = job(100);
  killed.first_workers = 2;
  killed.events = {{.at = 45, .kind = Kind::kKill, .worker = 1},
                   {.at = 50, .kind = Kind::kKill, .worker = 7}};
  BOOST_TEST(simulate(killed, fixedSize(2)).seconds == 450 + kChangeInPlaceSeconds, kClose);
  killed.events = {{.at = 0, .kind = Kind::kPace, .factor = 3}};
  BOOST_TEST(simulate(killed, fixedSize(2)).seconds == 1350.0, kClose);
}

BOOST_AUTO_TEST_CASE(what_happens_during_a_change_begins_it_anew) {
  SimulatedJob killed = job(100);
  killed.first_workers = 2;
  killed.events = {{.at = 45, .kind = Kind::kKill, .worker = 1},
                   {.at = 48, .kind = Kind::kKill, .worker = 0},
                   {.at = 49, .kind = Kind::kKill, .worker = 7}};
  BOOST_TEST(simulate(killed, fixedSize(2)).changing_seconds == 3 + kChangeInPlaceSeconds, kClose);
}

BOOST_AUTO_TEST_CASE(an_event_changes_a_step_under_way_from_then_on) {
  SimulatedJob slow = job(1);
  slow.events = {{.at = 4.25, .kind = Kind::kPace, .factor = 2}};
  // Half of 8.5 s before, the other half at half the pace.
  BOOST_TEST(simulate(slow, fixedSize(1)).seconds == 4.25 + 8.5, kClose);
}

BOOST_AUTO_TEST_CASE(noise_is_of_the_clock_whatever_the_job_does) {
  SimulatedJob noisy = job(3);
  noisy.noise = [](std::int64_t window) { return window == 0 ? 2 : 0.5; };
  // 10 s at half the pace are 5/8.5 of a step, the rest is at twice of it.
  const double seconds = 10 + (3 - 5 / 8.5) * 4.25;
  BOOST_TEST(simulate(noisy, fixedSize(1)).seconds == seconds, kClose);
  BOOST_TEST(clairvoyantSeconds(noisy, {1}) == seconds, kClose);
}

BOOST_AUTO_TEST_CASE(says_why_it_stays_once_for_each_size_and_reason) {
  SimulatedJob slow = job(2000);
  slow.events = {{.at = 800, .kind = Kind::kSlow, .worker = 1, .factor = 2}};
  const SimulatedRun run = simulate(slow, byPolicy({.goal = Goal::kThroughput}));
  BOOST_TEST(run.changes.size() == 1U);
  BOOST_REQUIRE_EQUAL(run.stays.size(), 2U);
  BOOST_TEST((run.stays[0].decision.reason == Reason::kRightSize));
  BOOST_TEST(run.stays[0].at > run.changes[0].at);
  BOOST_TEST((run.stays[1].decision.reason == Reason::kStraggler));
  BOOST_TEST(run.stays[1].at >= 800);
  BOOST_TEST(run.stays[1].from == 8);
}

BOOST_AUTO_TEST_CASE(by_cpu_a_job_that_waits_long_grows_without_end_and_one_that_computes_too) {
  SimulatedJob busy = job();
  const SimulatedRun run = simulate(busy, byCpu({.target = 0.5}));
  BOOST_REQUIRE(!run.changes.empty());
  // Neither whether it is useful (5 workers are as fast as 4) nor what it costs counts.
  BOOST_TEST(run.changes.front().decision.workers == 2);
  BOOST_TEST(run.worker_seconds >
             simulate(busy, byPolicy({.goal = Goal::kEfficiency})).worker_seconds);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::simulated_job_test
