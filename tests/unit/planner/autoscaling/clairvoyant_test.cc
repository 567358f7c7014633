#include "planner/autoscaling/clairvoyant.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <rapidcheck/boost_test.h>

#include "planner/autoscaling/useful_sizes.h"
#include "tests/unit/planner/autoscaling/plants.h"

namespace sumac::autoscaling::clairvoyant_test {
namespace {

using Kind = SimulatedEvent::Kind;
using testing::Random;

const auto kClose = boost::test_tools::tolerance(1e-9);
const std::vector<int> kSizes = {1, 2, 4, 8};

/// V = 8, 8 s of computing in all, and an exchange of 0.5 s; a change takes 5 s.
SimulatedJob job(std::vector<SimulatedEvent> events = {}) {
  SimulatedJob job;
  job.parts = 8;
  job.max_workers = 8;
  job.steps = 1000;
  job.events = std::move(events);
  job.step = [](int workers) {
    const double compute = busiestParts(8, workers);
    return TrueStep{compute + 0.5, compute};
  };
  return job;
}

/// Events of all kinds, often close to each other.
std::vector<SimulatedEvent> drawEvents(const SimulatedJob& job, double run, Random& random) {
  std::vector<SimulatedEvent> events;
  for (int left = testing::oneOf(random, 0, 12); left > 0; --left) {
    const bool is_soon = !events.empty() && testing::oneOf(random, 0, 1) > 0;
    SimulatedEvent event{.at = is_soon ? events.back().at + testing::uniform(random, 0, 20)
                                       : testing::uniform(random, 0, run)};
    event.kind = static_cast<Kind>(testing::oneOf(random, 0, 3));
    event.workers = testing::oneOf(random, 0, job.max_workers);
    event.worker = testing::oneOf(random, 0, job.max_workers - 1);
    event.factor = testing::uniform(random, 0.5, 3);
    events.push_back(event);
  }
  std::ranges::sort(events, {}, &SimulatedEvent::at);
  return events;
}

/// Any of the policies, or one that has no reason.
Sizer drawSizer(const SimulatedJob& job, double run, Random& random) {
  const int kind = testing::oneOf(random, 0, 6);
  if (kind == 4) return byCpu({.target = testing::uniform(random, 0.1, 1)});
  if (kind == 5) return fixedSize(job.first_workers);
  if (kind == 6) {
    const double often = testing::uniform(random, 0, 0.2);
    return [&random, often](const Situation& situation, const Observation&) {
      Decision decision;
      decision.workers = testing::uniform(random, 0, 1) < often
                             ? testing::oneOf(random, situation.min_workers, situation.max_workers)
                             : situation.workers;
      return decision;
    };
  }
  return byPolicy({.goal = static_cast<Goal>(kind),
                   .target_efficiency = testing::uniform(random, 0.3, 0.9),
                   .deadline_seconds = testing::uniform(random, 0.5, 3) * run,
                   .prices = job.prices,
                   .budget = testing::uniform(random, 0.5, 5) * run / 3600});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(clairvoyant)

BOOST_AUTO_TEST_CASE(begins_with_the_best_size) {
  BOOST_TEST(clairvoyantSeconds(job(), kSizes) == 1500.0, kClose);
  BOOST_TEST(clairvoyantSeconds(job(), {1, 2}) == 4500.0, kClose);
}

BOOST_AUTO_TEST_CASE(changes_where_that_pays) {
  const SimulatedJob cut = job({{.at = 300, .kind = Kind::kRoom, .workers = 4},
                                {.at = 805, .kind = Kind::kRoom, .workers = 0}});
  // 200 steps with 8, a change and 200 with 4 to 805 s, a change and 600 with 8.
  BOOST_TEST(clairvoyantSeconds(cut, kSizes) == 300 + 5 + 500 + 5 + 900.0, kClose);
}

BOOST_AUTO_TEST_CASE(pays_for_a_worker_that_is_lost) {
  const std::vector<SimulatedEvent> kill = {{.at = 450, .kind = Kind::kKill, .worker = 7}};
  BOOST_TEST(clairvoyantSeconds(job(kill), kSizes) == 1505.0, kClose);
  // With four, which has no worker 7, until the last of many: 598 steps.
  std::vector<SimulatedEvent> kills;
  for (int i = 0; i < 300; ++i)
    kills.push_back({.at = 5.0 * i, .kind = Kind::kKill, .worker = 7});
  BOOST_TEST(clairvoyantSeconds(job(kills), kSizes) == 1495 + 5 + 402 * 1.5, kClose);
}

BOOST_AUTO_TEST_CASE(changes_while_the_job_is_slow_anyway) {
  // With one worker until worker 1 is quick again: the change is over then.
  const SimulatedJob slow = job({{.at = 0, .kind = Kind::kSlow, .worker = 1, .factor = 100},
                                 {.at = 855, .kind = Kind::kSlow, .worker = 1, .factor = 1}});
  BOOST_TEST(clairvoyantSeconds(slow, kSizes) == 855 + 900 * 1.5, kClose);
}

BOOST_AUTO_TEST_CASE(pays_again_for_what_is_lost_during_a_change) {
  const SimulatedJob twice = job({{.at = 450, .kind = Kind::kKill, .worker = 7},
                                  {.at = 453, .kind = Kind::kKill, .worker = 0}});
  BOOST_TEST(clairvoyantSeconds(twice, kSizes) == 1508.0, kClose);
}

RC_BOOST_PROP(no_schedule_ends_sooner, ()) {
  const auto seed = *rc::gen::noShrink(rc::gen::resize(
      rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, std::numeric_limits<int>::max())));
  const testing::Plant plant = testing::plantOf(seed);
  Random random(seed);
  SimulatedJob job = plant.job;
  const double run = job.steps * job.step(plant.sizes.back()).seconds;
  job.events = drawEvents(job, run, random);
  job.change_seconds = testing::oneOf(random, 0, 2) > 0 ? testing::uniform(random, 0, 60) : 0;
  if (testing::oneOf(random, 0, 2) > 0) job.noise = testing::noiseOf(seed, 0.6, 1.4);
  job.max_workers = std::min(job.max_workers, job.parts);
  job.first_workers = testing::oneOf(random, job.min_workers, job.max_workers);
  std::vector<int> sizes;
  for (int size = job.min_workers; size <= job.max_workers; ++size)
    sizes.push_back(size);
  RC_LOG() << plant << "\n";
  const double seconds = simulate(job, drawSizer(job, run, random)).seconds;
  RC_ASSERT(seconds >= (1 - 1e-9) * clairvoyantSeconds(job, sizes));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::clairvoyant_test
