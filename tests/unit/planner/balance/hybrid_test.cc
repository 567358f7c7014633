#include "planner/balance/hybrid.h"

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include "tests/papers/architectures.h"
#include "tests/support/refusals.h"

namespace sumac::planner::hybrid_test {
namespace {

using boost::test_tools::tolerance;

Layer aDense(std::int64_t inputs, std::int64_t outputs) {
  Layer layer{.name = "dense1", .kind = LayerKind::kDense};
  layer.input_channels = inputs;
  layer.output_channels = outputs;
  layer.weights = layer.macs = inputs * outputs;
  return layer;
}

double megabytes(const HybridStep& step, std::int64_t groups) {
  const auto traffic = hybridTraffic(aDense(4096, 4096), step, groups);
  BOOST_REQUIRE(traffic);
  return traffic->bytes() / 1e6;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(d2_hybrid)

BOOST_AUTO_TEST_CASE(d2_the_traffic_of_4096_to_4096_is_that_of_the_table) {
  const HybridStep step{.nodes = 64, .batch = 256, .overlap = 1};
  BOOST_TEST(megabytes(step, 1) == 8.389, tolerance(1e-4));
  BOOST_TEST(megabytes(step, 2) == 6.291, tolerance(1e-4));
  BOOST_TEST(megabytes(step, 3) == 5.942, tolerance(1e-4));
  BOOST_TEST(megabytes(step, 4) == 6.291, tolerance(1e-4));
  BOOST_TEST(megabytes(step, 8) == 9.437, tolerance(1e-4));
  BOOST_TEST(megabytes(step, 64) == 67.11, tolerance(1e-4));
  BOOST_TEST(megabytes(step, 1) / megabytes(step, 3) == 1.41, tolerance(2e-3));
  BOOST_TEST(megabytes(step, 64) / megabytes(step, 3) > 11);

  const HybridStep half{.nodes = 64, .batch = 256, .overlap = 0};
  BOOST_TEST(megabytes(half, 1) == 8.389, tolerance(1e-4));
  BOOST_TEST(megabytes(half, 2) == 8.389, tolerance(1e-4));
  BOOST_TEST(megabytes(half, 4) == 10.49, tolerance(1e-3));
  BOOST_TEST(megabytes(half, 64) == 134.2, tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(d2_the_best_groups_are_the_smallest_traffic_over_all_divisors) {
  const Layer layer = aDense(4096, 4096);
  HybridStep step{.nodes = 64, .batch = 256, .overlap = 1};
  BOOST_TEST(*continuousBestGroups(layer, step) == 2.83, tolerance(1e-3));
  BOOST_TEST(*bestGroups(layer, step) == 2);
  step.overlap = 0;
  BOOST_TEST(*continuousBestGroups(layer, step) == 2.0, tolerance(1e-12));
  BOOST_TEST(*bestGroups(layer, step) == 1);  // as good as 2
  step.nodes = 63;
  step.overlap = 1;
  BOOST_TEST(*bestGroups(layer, step) == 3);
}

BOOST_AUTO_TEST_CASE(d2_the_best_groups_are_found_by_trying_all) {
  for (const std::int64_t nodes : {1, 2, 12, 16, 30, 36, 97, 128}) {
    for (const std::int64_t outputs : {10, 1000, 4096, 100'000}) {
      for (const TrafficCount count : {TrafficCount::kPublished, TrafficCount::kExact}) {
        const Layer layer = aDense(300, outputs);
        const HybridStep step{nodes, 256, 0.5, count};
        const double chosen = hybridTraffic(layer, step, *bestGroups(layer, step))->bytes();

        BOOST_TEST(nodes % *bestGroups(layer, step) == 0);
        for (std::int64_t groups = 1; groups <= nodes; ++groups) {
          if (nodes % groups != 0) continue;
          BOOST_TEST(chosen <= hybridTraffic(layer, step, groups)->bytes() * (1 + 1e-9));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(d2_model_parallelism_is_better_for_more_outputs_than_points) {
  // For a dense layer without overlap: ofm > MB.
  const HybridStep step{.nodes = 16, .batch = 256, .overlap = 0};
  BOOST_TEST(!*isModelParallelBetter(aDense(4096, 256), step));
  BOOST_TEST(*isModelParallelBetter(aDense(4096, 257), step));
  const auto list = papers::architecture("vgg-a");
  BOOST_REQUIRE(list);
  BOOST_TEST(!*isModelParallelBetter(list->layers.front(), step));
}

BOOST_AUTO_TEST_CASE(exact_traffic_counts_what_a_ring_sends) {
  const Layer layer = aDense(100, 50);
  const HybridStep step{.nodes = 8, .batch = 16, .overlap = 0, .count = TrafficCount::kExact};

  const auto pure_data = hybridTraffic(layer, step, 8);
  const auto pure_model = hybridTraffic(layer, step, 1);

  // 2 S (N - 1) / N, the traffic of a ring (K1).
  BOOST_TEST(pure_data->bytes() == 2.0 * 4 * 100 * 50 * 7 / 8, tolerance(1e-12));
  BOOST_TEST(pure_model->bytes() == 2.0 * 4 * 100 * 16 * 7 / 8, tolerance(1e-12));
  HybridStep single = step;
  single.nodes = 1;
  BOOST_TEST(hybridTraffic(layer, single, 1)->bytes() == 0);
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_are_refused) {
  const Layer layer = aDense(10, 10);
  Layer pool = layer;
  pool.weights = 0;
  const HybridStep good{.nodes = 4, .batch = 8};
  test::Refusals refusals;
  const auto add = [&](const char* name, const auto& result) {
    refusals.add(name, result, "dense1");
  };

  BOOST_TEST(bestGroups(layer, good).has_value());
  add("no node", bestGroups(layer, {.nodes = 0, .batch = 8}));
  add("a batch below zero", bestGroups(layer, {.nodes = 4, .batch = -8}));
  add("overlap above 1", bestGroups(layer, {.nodes = 4, .batch = 8, .overlap = 1.5}));
  add("no number", bestGroups(layer, {.nodes = 4, .batch = 8, .overlap = std::nan("")}));
  add("no group", hybridTraffic(layer, good, 0));
  add("more groups than nodes", hybridTraffic(layer, good, 5));
  add("groups without weights", continuousBestGroups(pool, good));
  add("a choice without weights", isModelParallelBetter(pool, good));
  refusals.compareWith("planner/balance/hybrid.txt");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::hybrid_test
