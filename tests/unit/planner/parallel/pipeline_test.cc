#include "planner/parallel/pipeline.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"

namespace sumac::planner::parallel_test {
namespace {

/// The costliest stage of the best division, by trying all first stages.
double bestByTrying(std::span<const double> costs, std::size_t count) {
  if (count == 1) return std::accumulate(costs.begin(), costs.end(), 0.0);
  double best = std::accumulate(costs.begin(), costs.end(), 0.0);
  double first = 0;
  for (std::size_t i = 1; i + count - 1 <= costs.size(); ++i) {
    first += costs[i - 1];
    best = std::min(best, std::max(first, bestByTrying(costs.subspan(i), count - 1)));
  }
  return best;
}

double costliestOf(std::span<const double> costs, const Stages& stages) {
  double most = 0;
  for (const std::size_t stage : stages) {
    BOOST_REQUIRE(stage >= 1);
    BOOST_REQUIRE(stage <= costs.size());
    const auto own = costs.first(stage);
    most = std::max(most, std::accumulate(own.begin(), own.end(), 0.0));
    costs = costs.subspan(stage);
  }
  BOOST_TEST(costs.empty());
  return most;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pipeline)

BOOST_AUTO_TEST_CASE(stages_are_balanced_as_well_as_trying_all_finds) {
  const Rng rng(/*seed=*/20210409, /*stream=*/0);
  std::uint64_t drawn = 0;
  const auto below = [&](std::size_t bound) { return rng.below(drawn++, bound); };
  for (int round = 0; round < 200; ++round) {
    std::vector<double> costs(1 + below(9));
    for (double& cost : costs)
      cost = static_cast<double>(below(20));
    const std::size_t count = 1 + below(costs.size());

    const Stages stages = balancedStages(costs, count);

    BOOST_TEST(stages.size() == count);
    BOOST_TEST(costliestOf(costs, stages) == bestByTrying(costs, count),
               boost::test_tools::tolerance(1e-9));
  }
}

BOOST_AUTO_TEST_CASE(layers_that_cost_nothing_are_divided_too) {
  BOOST_TEST(balancedStages(std::vector<double>(3), 3) == Stages({1, 1, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::parallel_test
