// The limitations and bottlenecks of Kahira et al. 2021.

#include "planner/parallel/bottlenecks.h"

#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "planner/parallel/oracle.h"
#include "tests/unit/planner/parallel/cases.h"

namespace sumac::planner::parallel_test {
namespace {

Assessment assessed(const ParallelCase& question, Strategy strategy, const Grid& grid) {
  auto result = assess(question, strategy, grid);
  BOOST_REQUIRE(result);
  BOOST_REQUIRE(result->estimate);
  return std::move(*result);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bottlenecks)

BOOST_AUTO_TEST_CASE(serial_training_has_none) {
  BOOST_TEST(assessed(tableCase(), Strategy::kSerial, {1, 1}).findings.empty());
}

// With 32 samples and more, the paper finds the layers' collectives above the gradient exchange.
BOOST_AUTO_TEST_CASE(what_takes_long_or_much_is_found) {
  using enum FindingKind;
  const ParallelCase table = tableCase();
  ParallelCase slow = tableCase();
  slow.machines.collectives = {{kMostMembers, {1e-2, 1e-9}}};
  ParallelCase full = tableCase();
  full.machines.memory_bytes = 18'000;
  ParallelCase long_update = tableCase();
  long_update.network.layers[0].update_seconds = 0.1;
  const ParallelCase vgg = toolCase(toolVgg16(), 8.245589e-3, 32);
  const ParallelCase many = toolCase(toolVgg16(), 8.245589e-3, 32 * 512);
  struct Case {
    ParallelCase question;
    Strategy strategy;
    Grid grid;
    std::vector<FindingKind> kinds;
    std::vector<int> percent;
  };
  const Case kCases[] = {
      {table, Strategy::kData, {2, 1}, {}, {}},
      {slow, Strategy::kData, {2, 1}, {kGradientExchange}, {46}},
      {slow, Strategy::kSpatial, {1, 2}, {kGradientExchange, kNeighbours, kReading}, {24, 48, 0}},
      {vgg,
       Strategy::kFilter,
       {1, 32},
       {kLayerCollectives, kReading, kCopiedActivations, kFewFilters, kMemberLimit},
       {98, 0, 99, 0, 0}},
      {vgg,
       Strategy::kData,
       {32, 1},
       {kGradientExchange, kCopiedWeights, kMemberLimit},
       {93, 84, 0}},
      {vgg,
       Strategy::kFilter,
       {1, 4},
       {kLayerCollectives, kReading, kCopiedActivations, kFewFilters},
       {55, 0, 96, 0}},
      {vgg, Strategy::kPipeline, {1, 4}, {kReading, kSlowestStage}, {0, 118}},
      {full, Strategy::kData, {2, 1}, {kNearlyFull}, {98}},
      {table, Strategy::kPipeline, {1, 2}, {kReading, kSlowestStage, kMemberLimit}, {0, 133, 0}},
      {long_update, Strategy::kData, {2, 1}, {kWeightUpdate}, {82}},
      {table, Strategy::kData, {5, 1}, {kCopiedWeights, kMemberLimit}, {61, 0}},
      {table, Strategy::kData, {4, 1}, {kCopiedWeights}, {56}},
      {many, Strategy::kData, {512, 1}, {kGradientExchange, kCongestion}, {35, 0}}};
  for (const auto& [question, strategy, grid, kinds, percent] : kCases) {
    std::vector<FindingKind> found;
    std::vector<int> shares;
    for (const Finding& finding : assessed(question, strategy, grid).findings) {
      found.push_back(finding.kind);
      shares.push_back(static_cast<int>(std::lround(100 * finding.share)));
    }
    BOOST_TEST((found == kinds), strategy << " of " << grid.members());
    BOOST_TEST(shares == percent, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::parallel_test
