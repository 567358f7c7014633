#include "tests/unit/planner/autoscaling/plants.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <boost/test/unit_test.hpp>
#include <rapidcheck/boost_test.h>

#include "planner/autoscaling/useful_sizes.h"

// What holds of decisions for any job: RC_PARAMS="max_success=25000" draws more of them for each
// property, and a counterexample names its seed.
namespace sumac::autoscaling::plants_test {
namespace {

using testing::Flaw;
using testing::Plant;
using testing::Random;

// Of time and cost, over those of the best fixed size; where all reports are 10 % off, a little
// more.
constexpr double kNear = 1.15;
constexpr double kNearWithNoise = 1.2;
constexpr std::size_t kMostChanges = 5;

Plant drawn() {
  const auto seed = *rc::gen::noShrink(rc::gen::resize(
      rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, std::numeric_limits<int>::max())));
  Plant plant = testing::plantOf(seed);
  if (*rc::gen::noShrink(rc::gen::arbitrary<bool>()))
    plant.job.noise = testing::noiseOf(seed, 0.9, 1.1);
  RC_LOG() << plant << (plant.job.noise ? ", with noise\n" : "\n");
  RC_CLASSIFY(plant.flaw != Flaw::kNone, "breaks the model");
  return plant;
}

double draw(double low, double high) {
  constexpr int kSteps = 1000;
  const int share =
      *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, kSteps + 1)));
  return low + (high - low) * share / kSteps;
}

/// Plays a plant by a policy, and looks at each decision.
SimulatedRun played(const Plant& plant, const Policy& policy) {
  const bool is_of_sizes = policy.goal == Goal::kThroughput || policy.goal == Goal::kEfficiency;
  bool was_settled = false;
  const Sizer sizer = byPolicy(policy);
  SimulatedRun run =
      simulate(plant.job, [&](const Situation& situation, const Observation& report) {
        const Decision decision = sizer(situation, report);
        RC_ASSERT(std::ranges::binary_search(plant.sizes, decision.workers));
        RC_ASSERT(decision == decide(policy, situation));
        RC_ASSERT(isChange(decision.reason) == (decision.workers != situation.workers));
        if (plant.isSteady()) RC_ASSERT(!was_settled || decision.workers == situation.workers);
        was_settled = was_settled || (is_of_sizes && (decision.reason == Reason::kRightSize ||
                                                      decision.reason == Reason::kNotWorth));
        return decision;
      });
  for (const SizeChange& change : run.changes)
    RC_LOG() << change.at << " s: " << change.from << " -> " << change.decision.workers
             << ", reason " << static_cast<int>(change.decision.reason) << "\n";
  if (plant.isSteady()) RC_ASSERT(run.changes.size() <= kMostChanges);
  return run;
}

double soonest(const std::map<int, SimulatedRun>& runs) {
  const auto seconds = [](const auto& one) { return one.second.seconds; };
  return seconds(*std::ranges::min_element(runs, {}, seconds));
}

/// A size that is best by less than 10 % is no better than the next.
bool isClear(const Plant& plant, double target) {
  constexpr double kMargin = 0.1;
  const auto step = [&plant](int size) { return plant.job.step(size).seconds; };
  const double serial = plant.sizes.front() * step(plant.sizes.front());
  for (const int size : plant.sizes) {
    if (std::abs(std::log(serial / (size * step(size)) / target)) < kMargin) return false;
    for (const int other : plant.sizes)
      if (other != size && std::abs(std::log(step(size) / step(other))) < kMargin) return false;
  }
  return true;
}

int mostEfficient(const Plant& plant, double target) {
  int best = plant.sizes.front();
  double least = plant.job.step(best).seconds;
  const double serial = best * least;
  for (const int size : plant.sizes) {
    const double step = plant.job.step(size).seconds;
    if (step >= least) continue;
    least = step;
    if (serial / (size * step) >= target) best = size;
  }
  return best;
}

double nearly(const Plant& plant) {
  return plant.job.noise ? kNearWithNoise : kNear;
}

/// Long enough for what it spends before it knows its sizes: a trial costs several workers.
bool isLong(const Plant& plant) {
  constexpr double kUnits = 40;
  return plant.units >= kUnits || plant.job.change_seconds <= kChangeInPlaceSeconds;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plants)

RC_BOOST_PROP(under_throughput_every_job_ends_nearly_as_soon_as_with_the_best_fixed_size, ()) {
  const Plant plant = drawn();
  const SimulatedRun run = played(plant, {.goal = Goal::kThroughput});
  RC_ASSERT(run.seconds <= nearly(plant) * soonest(fixedRuns(plant)));
}

RC_BOOST_PROP(under_efficiency_a_job_goes_to_the_best_size_where_that_is_clear, ()) {
  const Plant plant = drawn();
  const double target = draw(0.3, 0.9);
  const SimulatedRun run = played(plant, {.goal = Goal::kEfficiency, .target_efficiency = target});
  if (!plant.isSteady() || !isClear(plant, target)) return;
  const int best = mostEfficient(plant, target);
  RC_ASSERT((run.changes.empty() ? plant.sizes.front() : run.changes.back().decision.workers) ==
            best);
  RC_ASSERT(run.seconds <= nearly(plant) * fixedRuns(plant).at(best).seconds);
}

RC_BOOST_PROP(a_deadline_is_kept_at_nearly_the_cost_of_the_cheapest_size_that_keeps_it, ()) {
  Plant plant = drawn();
  plant.job.prices = {.worker_hour = 0.1, .server_hour = 0.05};
  const auto fixed = fixedRuns(plant);
  const double tightest = plant.job.change_seconds > kChangeInPlaceSeconds ? 1.1 : 1.05;
  const double deadline = draw(tightest, 3) * soonest(fixed);
  const SimulatedRun run = played(
      plant, {.goal = Goal::kDeadline, .deadline_seconds = deadline, .prices = plant.job.prices});
  if (!plant.isSteady()) return;
  RC_ASSERT(run.seconds <= deadline);
  if (plant.flaw != Flaw::kNone || !isLong(plant)) return;
  constexpr double kMargin = 1.1;  // that is held back
  double cheapest = std::numeric_limits<double>::infinity();
  for (const auto& [size, one] : fixed)
    if (kMargin * one.seconds <= deadline) cheapest = std::min(cheapest, one.cost);
  RC_ASSERT(run.cost <= nearly(plant) * cheapest);
}

RC_BOOST_PROP(a_budget_is_kept_and_spent_for_speed, ()) {
  Plant plant = drawn();
  plant.job.prices = {.worker_hour = 0.1, .server_hour = 0.05};
  const auto fixed = fixedRuns(plant);
  const auto cost = [](const auto& one) { return one.second.cost; };
  const double budget = draw(1.05, 3) * cost(*std::ranges::min_element(fixed, {}, cost));
  const SimulatedRun run =
      played(plant, {.goal = Goal::kCost, .prices = plant.job.prices, .budget = budget});
  if (!plant.isSteady()) return;
  constexpr double kTrial = 1.03;  // of a size that is slower than all that was observed says
  RC_ASSERT(run.cost <= (plant.flaw == Flaw::kNone ? 1 : kTrial) * budget);
  if (plant.flaw != Flaw::kNone || !isLong(plant)) return;
  double within = std::numeric_limits<double>::infinity();
  for (const auto& [size, one] : fixed)
    if (kNear * one.cost <= budget) within = std::min(within, one.seconds);
  RC_ASSERT(run.seconds <= nearly(plant) * within);
}

namespace {

/// A job somewhere on its way, of which some sizes were observed.
Situation somewhere(const Plant& plant) {
  Random random(plant.seed);
  Situation situation{.min_workers = plant.job.min_workers,
                      .max_workers = plant.job.max_workers,
                      .parts = plant.job.parts,
                      .servers = plant.job.servers,
                      .now = testing::uniform(random, 60, 1000),
                      .steps_left = plant.job.steps,
                      .expected = plant.job.expected};
  for (const int size : plant.sizes) {
    if (testing::oneOf(random, 0, 2) > 0 && size != plant.sizes.front()) continue;
    const TrueStep step = plant.job.step(size);
    situation.memory.observations.push_back(
        {size, 100, step.seconds, step.compute_seconds, situation.now});
    situation.workers = size;
  }
  return situation;
}

}  // namespace

RC_BOOST_PROP(more_time_is_never_answered_by_a_faster_size_nor_more_money_by_a_slower_one, ()) {
  const Plant plant = drawn();
  const Situation situation = somewhere(plant);
  const double soon =
      situation.now + draw(0.1, 3) * plant.job.steps * plant.job.step(situation.workers).seconds;
  const double later = soon * draw(1, 2);
  const auto by = [&](double deadline) {
    return decide({.goal = Goal::kDeadline, .deadline_seconds = deadline}, situation).step.seconds;
  };
  RC_ASSERT(by(soon) <= by(later));
  const Prices prices{.worker_hour = 0.1, .server_hour = 0.05};
  const auto with = [&](double budget) {
    return decide({.goal = Goal::kCost, .prices = prices, .budget = budget}, situation)
        .step.seconds;
  };
  const double little = soon * prices.worker_hour * draw(0.1, 8) / 3600;
  const double much = little * draw(1, 2);
  RC_ASSERT(with(much) <= with(little));
}

namespace {

/// Any number, and often one that nobody expects.
double anyNumber() {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  return *rc::gen::oneOf(
      rc::gen::arbitrary<double>(),
      rc::gen::map(rc::gen::inRange(0, 100), [](int value) { return static_cast<double>(value); }),
      rc::gen::element(0.0, -1.0, 1e300, kInfinite, -kInfinite,
                       std::numeric_limits<double>::quiet_NaN()));
}

int anyCount() {
  return *rc::gen::oneOf(
      rc::gen::inRange(-2, 20), rc::gen::arbitrary<int>(),
      rc::gen::element(std::numeric_limits<int>::max(), std::numeric_limits<int>::min()));
}

Situation anySituation() {
  Situation any{.min_workers = anyCount(),
                .max_workers = anyCount(),
                .parts = anyCount(),
                .servers = anyCount(),
                .now = anyNumber(),
                .steps_left = anyNumber(),
                .workers = anyCount(),
                .since = anyNumber(),
                .change_seconds = anyNumber(),
                .spent = anyNumber()};
  if (*rc::gen::arbitrary<bool>()) any.room = Room{anyCount(), anyNumber()};
  for (int i = *rc::gen::inRange(0, 20); i > 0; --i) {
    any.memory.observations.push_back(
        {anyCount(), anyNumber(), anyNumber(), anyNumber(), anyNumber()});
    any.expected.push_back({anyCount(), anyNumber(), anyNumber()});
  }
  any.memory.settled_step_seconds = anyNumber();
  any.memory.most = anyCount();
  any.memory.changes = anyCount();
  any.memory.odd_reports = anyCount();
  any.memory.straggler = Straggler{anyCount(), anyNumber()};
  any.memory.is_straggler_odd = *rc::gen::arbitrary<bool>();
  any.memory.odd_since = anyNumber();
  return any;
}

}  // namespace

RC_BOOST_PROP(every_situation_has_a_decision_however_its_numbers_came_about, ()) {
  Situation any = anySituation();
  const Policy policy{
      .goal = *rc::gen::element(Goal::kThroughput, Goal::kEfficiency, Goal::kDeadline, Goal::kCost),
      .target_efficiency = anyNumber(),
      .deadline_seconds = anyNumber(),
      .prices = {anyNumber(), anyNumber()},
      .budget = anyNumber(),
      .stabilization_seconds = anyNumber()};
  const Decision decision = decide(policy, any);
  RC_ASSERT(decision.workers >= 1);
  if (isChange(decision.reason)) {
    RC_ASSERT(decision.workers <= std::max({1, any.parts, any.workers}));
    RC_ASSERT(decision.workers <= std::max({1, any.min_workers, any.max_workers}));
  }
  remember(any.memory, decision);
  observe(any.memory, {anyCount(), anyNumber(), anyNumber(), anyNumber(), anyNumber()}, anyNumber(),
          Straggler{anyCount(), anyNumber()}, anyCount());
  RC_ASSERT(any.memory.observations.size() <= std::max<std::size_t>(kMostObservations, 20));
  decide(policy, any);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::plants_test
