// The limitations and bottlenecks of Kahira et al. 2021.

#include "planner/parallel/bottlenecks.h"

#include <algorithm>
#include <string>

#include <boost/test/unit_test.hpp>

#include "planner/parallel/oracle.h"
#include "tests/unit/planner/parallel/cases.h"

namespace sumac::planner::parallel_test {
namespace {

bool says(const Assessment& assessed, const std::string& text) {
  return std::ranges::any_of(assessed.findings, [&](const Finding& finding) {
    return finding.text.find(text) != std::string::npos;
  });
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

BOOST_AUTO_TEST_CASE(a_slow_link_makes_the_exchange_the_bottleneck) {
  ParallelCase question = tableCase();
  BOOST_TEST(!says(assessed(question, Strategy::kData, {2, 1}), "gradient exchange"));
  question.machines.collectives = {{kMostMembers, {1e-2, 1e-9}}};
  const Assessment slow = assessed(question, Strategy::kData, {2, 1});
  BOOST_TEST(says(slow, "the gradient exchange takes 46 % of an epoch"));
  BOOST_TEST(slow.estimate->time.longest() == Phase::kForwardBackward);
  BOOST_TEST(says(assessed(question, Strategy::kSpatial, {1, 2}), "messages between neighbours"));
}

// With 32 samples and more, the paper finds the layers' collectives above the gradient exchange.
BOOST_AUTO_TEST_CASE(collectives_of_each_layer_outgrow_the_gradient_exchange) {
  const ParallelCase vgg = toolCase(toolVgg16(), 8.245589e-3, 32);
  const Assessment filter = assessed(vgg, Strategy::kFilter, {1, 32});
  BOOST_TEST(says(filter, "longer than the gradient exchange"));
  BOOST_TEST(says(filter, "with fewer filters"));
  BOOST_TEST(!says(assessed(vgg, Strategy::kData, {32, 1}), "longer than the gradient exchange"));
}

BOOST_AUTO_TEST_CASE(copies_of_activations_and_weights_are_redundant) {
  const ParallelCase vgg = toolCase(toolVgg16(), 8.245589e-3, 32);
  BOOST_TEST(says(assessed(vgg, Strategy::kFilter, {1, 4}), "copies of activations"));
  BOOST_TEST(says(assessed(vgg, Strategy::kData, {32, 1}), "copies of weights"));
  BOOST_TEST(!says(assessed(vgg, Strategy::kPipeline, {1, 4}), "copies"));
}

BOOST_AUTO_TEST_CASE(memory_that_is_nearly_full_may_not_be_enough) {
  ParallelCase question = tableCase();
  question.machines.memory_bytes = 18'000;
  const Assessment data = assessed(question, Strategy::kData, {2, 1});
  BOOST_TEST(data.isFeasible());
  BOOST_TEST(says(data, "98 % of the memory"));
}

BOOST_AUTO_TEST_CASE(a_long_update_and_stages_of_different_length_are_named) {
  ParallelCase question = tableCase();
  // The first stage takes 3 ms of 4.5 ms.
  BOOST_TEST(says(assessed(question, Strategy::kPipeline, {1, 2}), "takes 133 % of the mean"));
  question.network.layers[0].update_seconds = 0.1;
  BOOST_TEST(says(assessed(question, Strategy::kData, {2, 1}), "the weight update takes 82 %"));
}

BOOST_AUTO_TEST_CASE(a_strategy_near_its_limit_says_so) {
  BOOST_TEST(says(assessed(tableCase(), Strategy::kData, {5, 1}),
                  "it can use at most 10 members: a mini-batch has 10 samples"));
  BOOST_TEST(!says(assessed(tableCase(), Strategy::kData, {4, 1}), "at most"));
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
