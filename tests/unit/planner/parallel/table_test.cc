// O1: a vector computed by hand, one row a strategy.

#include <ostream>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "planner/parallel/oracle.h"
#include "tests/unit/planner/parallel/cases.h"

namespace sumac::planner::parallel_test {
namespace {

struct Row {
  Strategy strategy;
  Grid grid;
  double computation_seconds;
  double communication_seconds;
  double memory_bytes;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.strategy << ' ' << row.grid.groups << 'x' << row.grid.inner;
}

const std::vector kRows{
    Row{Strategy::kSerial, {1, 1}, 4.570000, 0, 28'400},
    Row{Strategy::kData, {2, 1}, 2.320000, 0.002340, 17'600},
    Row{Strategy::kSpatial, {1, 2}, 2.320000, 0.006628, 17'600},
    // D FB + (D/B) WU, and 2 (D/B) (alpha + 10 |y| delta beta): by hand too.
    Row{Strategy::kLayer, {1, 2}, 4.570000, 0.002640, 14'800},
    Row{Strategy::kPipeline, {1, 2}, 3.650000, 0.010640, 14'800},
    Row{Strategy::kFilter, {1, 2}, 2.285000, 0.003480, 25'000},
    Row{Strategy::kChannel, {1, 2}, 2.285000, 0.003480, 25'000},
    Row{Strategy::kDataFilter, {2, 2}, 1.160000, 0.005410, 14'200},
    Row{Strategy::kDataSpatial, {2, 2}, 1.195000, 0.010654, 12'200},
};

// Printed with six decimals.
const auto kPrinted = boost::test_tools::tolerance(1e-9);

}  // namespace

BOOST_AUTO_TEST_SUITE(parallel_table)

BOOST_DATA_TEST_CASE(o1_every_strategy_costs_what_the_vector_says, kRows, row) {
  const auto assessed = assess(tableCase(), row.strategy, row.grid);

  BOOST_REQUIRE(assessed);
  BOOST_REQUIRE(assessed->estimate);
  BOOST_TEST(assessed->isFeasible());
  BOOST_TEST(assessed->estimate->time.computation() == row.computation_seconds, kPrinted);
  BOOST_TEST(assessed->estimate->time.communication() == row.communication_seconds, kPrinted);
  BOOST_TEST(assessed->estimate->memory_bytes == row.memory_bytes);
}

BOOST_DATA_TEST_CASE(o1_one_member_costs_what_serial_training_does, kRows, row) {
  ParallelCase question = tableCase();
  question.choices.stages = {};

  const auto alone = assess(question, row.strategy, {1, 1});

  BOOST_REQUIRE(alone);
  BOOST_REQUIRE(alone->estimate);
  BOOST_TEST(alone->estimate->time.computation() == 4.57, kPrinted);
  BOOST_TEST(alone->estimate->time.communication() == 0);
  BOOST_TEST(alone->estimate->memory_bytes == 28'400);
}

BOOST_AUTO_TEST_CASE(memory_reuse_multiplies_the_memory_of_all) {
  ParallelCase question = tableCase();
  question.choices.memory_reuse = 0.25;
  for (const Row& row : kRows)
    BOOST_TEST(assess(question, row.strategy, row.grid)->estimate->memory_bytes ==
               row.memory_bytes / 4);
}

// phi multiplies beta of its phase, not alpha.
BOOST_AUTO_TEST_CASE(contention_makes_its_phase_longer_and_no_other) {
  ParallelCase question = tableCase();
  const auto before = assess(question, Strategy::kDataSpatial, {2, 2})->estimate->time;
  question.choices.contention.halo_exchange = 3;
  const auto after = assess(question, Strategy::kDataSpatial, {2, 2})->estimate->time;

  // 2 (D/B) (2 alpha + 5 x 36 x 4 x 3 beta)
  BOOST_TEST(after[Phase::kHaloExchange] == 200 * (2e-5 + 3 * 5 * 36 * 4e-9), kPrinted);
  BOOST_TEST(after[Phase::kGradientExchange] == before[Phase::kGradientExchange]);
}

// The second layer is behind the gather: both members of a group compute it for all five samples.
BOOST_AUTO_TEST_CASE(layers_behind_the_gather_are_computed_by_all_of_a_group) {
  ParallelCase question = tableCase();
  question.choices.spatial_layers = 1;

  const auto estimate = assess(question, Strategy::kDataSpatial, {2, 2})->estimate;

  BOOST_TEST(estimate->time[Phase::kForwardBackward] == 1000 * (3e-3 / 4 + 1.5e-3 / 2), kPrinted);
  BOOST_TEST(estimate->time[Phase::kSplitGather] == 100 * (1e-5 + 5 * 80 * 4e-9 / 2), kPrinted);
  BOOST_TEST(estimate->memory_bytes == 8 * (2.5 * 180 + 5 * 90 + 850));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::parallel_test
