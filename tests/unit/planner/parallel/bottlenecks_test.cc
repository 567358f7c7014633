// The limitations and bottlenecks of Kahira et al. 2021.

#include "planner/parallel/bottlenecks.h"

#include <algorithm>
#include <string>

#include <boost/test/unit_test.hpp>

#include "planner/parallel/oracle.h"
#include "tests/support/golden.h"
#include "tests/unit/planner/parallel/cases.h"

namespace sumac::planner::parallel_test {
namespace {

/// The findings, and what the estimate does not have marked.
std::string textOf(const Assessment& assessed) {
  std::string text;
  for (const Finding& finding : assessed.findings)
    text += finding.text + (finding.is_in_estimate ? "\n" : " (not in the estimate)\n");
  return text;
}

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
BOOST_AUTO_TEST_CASE(what_takes_long_or_much_is_named) {
  const ParallelCase table = tableCase();
  ParallelCase slow = tableCase();
  slow.machines.collectives = {{kMostMembers, {1e-2, 1e-9}}};
  ParallelCase full = tableCase();
  full.machines.memory_bytes = 18'000;
  ParallelCase long_update = tableCase();
  long_update.network.layers[0].update_seconds = 0.1;
  const ParallelCase vgg = toolCase(toolVgg16(), 8.245589e-3, 32);
  const std::tuple<const char*, ParallelCase, Strategy, Grid> kCases[] = {
      {"a fast link", table, Strategy::kData, {2, 1}},
      {"a slow link", slow, Strategy::kData, {2, 1}},
      {"a slow link between neighbours", slow, Strategy::kSpatial, {1, 2}},
      {"collectives in layers", vgg, Strategy::kFilter, {1, 32}},
      {"one gradient exchange", vgg, Strategy::kData, {32, 1}},
      {"copies of activations", vgg, Strategy::kFilter, {1, 4}},
      {"no copies", vgg, Strategy::kPipeline, {1, 4}},
      {"memory that is nearly full", full, Strategy::kData, {2, 1}},
      {"stages of 3 ms and 1.5 ms", table, Strategy::kPipeline, {1, 2}},
      {"a long update", long_update, Strategy::kData, {2, 1}},
      {"half as many members as can be used", table, Strategy::kData, {5, 1}},
      {"fewer members", table, Strategy::kData, {4, 1}}};
  test::Transcript said;
  for (const auto& [name, question, strategy, grid] : kCases)
    said.add(name, textOf(assessed(question, strategy, grid)));
  test::checkGolden("planner/parallel/bottlenecks.txt", said.text());
  BOOST_TEST(assessed(full, Strategy::kData, {2, 1}).isFeasible());
  BOOST_TEST(assessed(slow, Strategy::kData, {2, 1}).estimate->time.longest() ==
             Phase::kForwardBackward);
}

BOOST_AUTO_TEST_CASE(what_the_estimate_leaves_out_is_marked) {
  const ParallelCase vgg = toolCase(toolVgg16(), 8.245589e-3, 32 * 512);
  const Assessment data = assessed(vgg, Strategy::kData, {512, 1});
  const auto congestion = std::ranges::find_if(data.findings, [](const Finding& finding) {
    return finding.text.find("congestion") != std::string::npos;
  });
  BOOST_REQUIRE((congestion != data.findings.end()));
  BOOST_TEST(!congestion->is_in_estimate);
  BOOST_TEST((congestion->origin == Origin::kBottleneck));
  BOOST_TEST(congestion->category == Category::kCommunication);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::parallel_test
