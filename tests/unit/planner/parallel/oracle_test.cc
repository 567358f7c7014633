#include "planner/parallel/oracle.h"

#include <algorithm>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/papers/architectures.h"
#include "tests/papers/kahira/published.h"
#include "tests/unit/planner/parallel/cases.h"

namespace sumac::planner::parallel_test {
namespace {

std::vector<Assessment> ranked(const ParallelCase& question, std::int64_t members) {
  auto result = rankStrategies(question, members);
  BOOST_REQUIRE(result);
  BOOST_TEST(result->size() == kStrategies.size());
  return std::move(*result);
}

const Assessment& of(const std::vector<Assessment>& all, Strategy strategy) {
  return *std::ranges::find(all, strategy, &Assessment::strategy);
}

/// CosmoFlow on the paper's machines, a sample for each of them.
ParallelCase cosmoflow(std::int64_t machines) {
  ParallelCase question;
  question.network =
      withSecondsPerSample(networkCost(*papers::architecture("cosmoflow")).value(), 0.5);
  question.training = {.samples = 1584, .batch_size = machines};
  question.machines = papers::publishedMachines();
  question.choices.segments = 1;
  question.choices.spatial_layers = 4;  // up to the second pool
  return question;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(oracle)

BOOST_AUTO_TEST_CASE(strategies_are_ranked_by_time_and_equal_ones_share_a_rank) {
  ParallelCase question = tableCase();
  question.choices.stages = {};
  const std::vector<Assessment> all = ranked(question, 4);

  for (std::size_t i = 1; i < all.size(); ++i) {
    if (!all[i].isFeasible()) break;
    BOOST_TEST(all[i - 1].estimate->time.total() <= all[i].estimate->time.total());
    BOOST_TEST(all[i - 1].rank <= all[i].rank);
  }
  BOOST_TEST(all.front().rank == 1);
  BOOST_TEST(of(all, Strategy::kFilter).rank == of(all, Strategy::kChannel).rank);
  BOOST_TEST(of(all, Strategy::kPipeline).rank == 0);  // two layers, four members
}

BOOST_AUTO_TEST_CASE(a_hybrid_has_the_best_of_its_grids) {
  ParallelCase question = tableCase();
  question.choices.stages = {};
  const std::vector<Assessment> all = ranked(question, 8);
  const double chosen = of(all, Strategy::kDataFilter).estimate->time.total();
  for (const Grid grid : {Grid{2, 4}, Grid{4, 2}})
    BOOST_TEST(chosen <= assess(question, Strategy::kDataFilter, grid)->estimate->time.total());
}

BOOST_AUTO_TEST_CASE(a_prime_number_of_members_makes_no_groups) {
  ParallelCase question = tableCase();
  question.choices.stages = {};
  const Assessment hybrid = of(ranked(question, 7), Strategy::kDataFilter);
  BOOST_REQUIRE(!hybrid.isFeasible());
  BOOST_TEST((hybrid.refusal->obstacle == Obstacle::kNoGroups));
  BOOST_TEST(hybrid.refusal->found == 7);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_says_which_batch_would) {
  ParallelCase question = tableCase();
  question.machines.memory_bytes = 16'000;

  const auto data = assess(question, Strategy::kData, {2, 1});

  // 8 (B/2 270 + 850) <= 16,000: B <= 8.5
  BOOST_REQUIRE(data);
  BOOST_REQUIRE(!data->isFeasible());
  BOOST_TEST((data->refusal->obstacle == Obstacle::kMemory));
  BOOST_TEST(data->rank == 0);
  BOOST_TEST(data->refusal->found == 8);
  BOOST_TEST(data->refusal->memory_bytes == 16'000);
  question.training.batch_size = 8;
  BOOST_TEST(assess(question, Strategy::kData, {2, 1})->isFeasible());
  question.machines.memory_bytes = 6'000;  // the weights do not fit
  BOOST_TEST(assess(question, Strategy::kData, {2, 1})->refusal->found == 0);
}

BOOST_AUTO_TEST_CASE(as_many_stages_as_members_are_needed) {
  const auto pipeline = assess(tableCase(), Strategy::kPipeline, {1, 1});
  BOOST_TEST((pipeline->refusal->obstacle == Obstacle::kStages));
  BOOST_TEST(pipeline->refusal->found == 2);
  BOOST_TEST(pipeline->refusal->limit.most == 1);
}

// The first layer takes 8 bytes x (4 x 512^3 + 16 x 510^3) for one sample: 21.3 GB.
BOOST_AUTO_TEST_CASE(cosmoflow_fits_where_its_space_is_divided_and_in_no_pipeline) {
  const std::vector<Assessment> all = ranked(cosmoflow(/*machines=*/8), 32);

  for (const Strategy strategy : {Strategy::kPipeline, Strategy::kFilter, Strategy::kChannel}) {
    const Assessment& assessed = of(all, strategy);
    BOOST_REQUIRE(assessed.refusal);
  }
  BOOST_TEST((of(all, Strategy::kData).refusal->obstacle == Obstacle::kMembers));
  const Assessment& spatial = of(all, Strategy::kDataSpatial);
  BOOST_TEST(spatial.isFeasible());
  BOOST_TEST(spatial.rank == 1);
}

// Stages balanced by time may need more memory than stages balanced by memory.
BOOST_AUTO_TEST_CASE(a_pipeline_that_does_not_fit_is_balanced_by_memory) {
  ParallelCase question = tableCase();
  question.choices.stages = {};
  question.network.layers.resize(2);
  question.network.layers.push_back({.name = "slow", .forward_seconds = 1});
  const auto by_time = assess(question, Strategy::kPipeline, {1, 2});
  BOOST_TEST(by_time->stages == Stages({2, 1}), boost::test_tools::per_element());

  question.machines.memory_bytes = 15'000;
  const auto by_memory = assess(question, Strategy::kPipeline, {1, 2});

  BOOST_TEST(by_memory->isFeasible());
  BOOST_TEST(by_memory->stages == Stages({1, 2}), boost::test_tools::per_element());
}

// The tool's: data+filter shares its links with 2 p2 flows.
BOOST_AUTO_TEST_CASE(published_contention_makes_hybrids_slower) {
  const Contention filter = papers::publishedContention(Strategy::kDataFilter, 4);
  BOOST_TEST(filter.gradient_exchange == 8);
  BOOST_TEST(filter.halo_exchange == 1);
  const Contention spatial = papers::publishedContention(Strategy::kDataSpatial, 4);
  BOOST_TEST(spatial.gradient_exchange == 8);
  BOOST_TEST(spatial.halo_exchange == 8);
  BOOST_TEST(spatial.split_gather == 2);
  BOOST_TEST(papers::publishedContention(Strategy::kData, 4).gradient_exchange == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::parallel_test
