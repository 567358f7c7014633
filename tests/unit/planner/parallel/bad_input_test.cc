// Numbers that are none, and more of everything than there can be.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "planner/parallel/oracle.h"
#include "tests/support/refusals.h"
#include "tests/unit/planner/parallel/cases.h"

namespace sumac::planner::parallel_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

struct Change {
  std::string name;
  std::function<void(ParallelCase&)> make;
};

ParallelCase changed(const Change& change) {
  ParallelCase question = tableCase();
  change.make(question);
  return question;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bad_input)

BOOST_AUTO_TEST_CASE(quantities_must_be_finite_and_not_negative) {
  double bad = 0;
  const Change kChanges[] = {
      {"input", [&](ParallelCase& c) { c.network.layers[1].input_items = bad; }},
      {"output", [&](ParallelCase& c) { c.network.layers[0].output_items = bad; }},
      {"weights", [&](ParallelCase& c) { c.network.layers[0].weight_items = bad; }},
      {"input halo", [&](ParallelCase& c) { c.network.layers[0].input_halo_items = bad; }},
      {"output halo", [&](ParallelCase& c) { c.network.layers[0].output_halo_items = bad; }},
      {"forward", [&](ParallelCase& c) { c.network.layers[0].forward_seconds = bad; }},
      {"backward", [&](ParallelCase& c) { c.network.layers[0].backward_seconds = bad; }},
      {"update", [&](ParallelCase& c) { c.network.layers[0].update_seconds = bad; }},
      {"latency", [&](ParallelCase& c) { c.machines.collectives[0].link.latency_seconds = bad; }},
      {"link", [&](ParallelCase& c) { c.machines.collectives[0].link.seconds_per_byte = bad; }},
      {"memory", [&](ParallelCase& c) { c.machines.memory_bytes = bad; }},
      {"bytes", [&](ParallelCase& c) { c.training.bytes_per_item = bad; }},
      {"reuse", [&](ParallelCase& c) { c.choices.memory_reuse = bad; }},
      {"contention", [&](ParallelCase& c) { c.choices.contention.stage_transfer = bad; }},
  };
  test::Refusals refusals;
  for (const double value : {-1.0, kNan, kInfinity, -kInfinity}) {
    bad = value;
    for (const Change& change : kChanges)
      refusals.add(change.name, rankStrategies(changed(change), 2));
  }
  refusals.compareWith("planner/parallel/quantities.txt");
}

BOOST_AUTO_TEST_CASE(counts_must_be_positive_and_possible) {
  std::int64_t bad = 0;
  const Change kChanges[] = {
      {"samples", [&](ParallelCase& c) { c.training.samples = bad; }},
      {"batch size", [&](ParallelCase& c) { c.training.batch_size = bad; }},
      {"filters", [&](ParallelCase& c) { c.network.layers[0].filters = bad; }},
      {"channels", [&](ParallelCase& c) { c.network.layers[0].channels = bad; }},
      {"positions", [&](ParallelCase& c) { c.network.layers[0].positions = bad; }},
      {"members of a machine", [&](ParallelCase& c) { c.machines.members_per_machine = bad; }},
      {"members", [&](ParallelCase& c) { c.machines.collectives[0].members = bad; }},
      {"segments", [&](ParallelCase& c) { c.choices.segments = bad; }},
  };
  test::Refusals refusals;
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, kMost}) {
    bad = value;
    for (const Change& change : kChanges)
      refusals.add(change.name, rankStrategies(changed(change), 2));
  }
  refusals.compareWith("planner/parallel/counts.txt");
}

BOOST_AUTO_TEST_CASE(what_is_missing_too_large_or_does_not_match_is_named) {
  const Change kChanges[] = {
      {"no layer", [](ParallelCase& c) { c.network.layers.clear(); }},
      {"many layers", [](ParallelCase& c) { c.network.layers.resize(kMostLayers + 1); }},
      {"no link", [](ParallelCase& c) { c.machines.collectives.clear(); }},
      {"a link twice",
       [](ParallelCase& c) {
         c.machines.messages = {{4, {}}, {4, {}}};
       }},
      {"spatial layers", [](ParallelCase& c) { c.choices.spatial_layers = 3; }},
      {"three layers of stages",
       [](ParallelCase& c) {
         c.choices.stages = {1, 2};
       }},
      {"an empty stage",
       [](ParallelCase& c) {
         c.choices.stages = {2, 0};
       }},
      {"batch size", [](ParallelCase& c) { c.training.batch_size = 1001; }},
      {"memory beyond numbers", [](ParallelCase& c) { c.network.layers[0].weight_items = 1e308; }},
      {"time beyond numbers", [](ParallelCase& c) { c.network.layers[1].forward_seconds = 1e308; }},
  };
  test::Refusals refusals;
  for (const Change& change : kChanges)
    refusals.add(change.name, rankStrategies(changed(change), 2));
  refusals.compareWith("planner/parallel/bad_input.txt");
}

BOOST_AUTO_TEST_CASE(members_must_be_possible) {
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, kMostMembers + 1, kMost}) {
    BOOST_TEST(!rankStrategies(tableCase(), bad));
    BOOST_TEST(!assess(tableCase(), Strategy::kData, {bad, 1}));
    BOOST_TEST(!assess(tableCase(), Strategy::kData, {bad, bad}));
  }
}

BOOST_AUTO_TEST_CASE(more_memory_than_bytes_can_be_counted_is_refused) {
  ParallelCase question = tableCase();
  question.machines.memory_bytes = 16e9;
  question.network.layers[0].input_items = 1e300;
  const auto data = assess(question, Strategy::kData, {2, 1});
  BOOST_REQUIRE(data);
  BOOST_TEST((data->refusal->obstacle == Obstacle::kMemory));
}

// All divisors of 720,720 are tried for both hybrids: 240.
BOOST_AUTO_TEST_CASE(ten_thousand_layers_and_many_members_are_answered_at_once,
                     *boost::unit_test::timeout(5)) {
  ParallelCase question = tableCase();
  question.choices.stages = {};
  question.training = {.samples = 1'000'000'000, .batch_size = 1'000'000};
  question.machines.memory_bytes = 1e6;
  question.network.layers.assign(10'000, question.network.layers.front());

  const auto ranked = rankStrategies(question, 720'720);

  BOOST_REQUIRE(ranked);
  BOOST_TEST(!ranked->front().isFeasible());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::parallel_test
