#include "planner/sizing/memory_model.h"

#include <limits>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/papers/architectures.h"
#include "tests/support/refusals.h"

namespace sumac::planner::memory_model_test {
namespace {

using boost::test_tools::tolerance;

constexpr std::int64_t kTwelveGigabytes = 12'000'000'000;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

MemoryUse useOf(std::string_view network, MemoryCopies copies = {}) {
  const auto list = papers::architecture(network);
  BOOST_REQUIRE(list);
  const auto use = memoryUse(*list, copies);
  BOOST_REQUIRE(use);
  return *use;
}

double number(std::int64_t bytes) {
  return static_cast<double>(bytes);
}

template <typename Value>
std::string problemOf(const Result<Value>& result) {
  return result ? "none" : result.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(z4_memory_model)

BOOST_AUTO_TEST_CASE(z4_alexnet_takes_the_published_shapes_bytes) {
  const MemoryUse use = useOf("alexnet");

  BOOST_TEST(use.feature_map_bytes_per_sample == 3'708'524);
  BOOST_TEST(number(128 * use.feature_map_bytes_per_sample) == 474.7e6, tolerance(1e-4));
  BOOST_TEST(use.convolution_parameter_bytes == 12 * 2'332'704);
  BOOST_TEST(number(use.convolution_parameter_bytes) == 28.0e6, tolerance(1e-3));
  BOOST_TEST(use.classifier_parameter_bytes == 12 * 58'621'952);
  BOOST_TEST(number(use.classifier_parameter_bytes) == 703.5e6, tolerance(1e-4));
  BOOST_TEST(number(*workspaceBound(use, kTwelveGigabytes, 128)) == 10.79e9, tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(z4_alexnet_without_groups_has_more_weights) {
  const MemoryUse use = useOf("alexnet-ungrouped");

  BOOST_TEST(use.convolution_parameter_bytes == 12 * 3'745'824);
  BOOST_TEST(number(use.convolution_parameter_bytes) == 44.9e6, tolerance(2e-3));
  BOOST_TEST(use.feature_map_bytes_per_sample == 3'708'524);
}

BOOST_AUTO_TEST_CASE(z4_the_largest_batch_is_the_last_that_fits) {
  const MemoryUse use = useOf("alexnet");
  constexpr std::int64_t kWorkspaces = 1'000'000'000;

  const auto largest = largestBatch(use, kTwelveGigabytes, kWorkspaces);

  BOOST_REQUIRE(largest);
  BOOST_TEST(*largest == (kTwelveGigabytes - use.parameterBytes() - kWorkspaces) / 3'708'524);
  BOOST_TEST(*workspaceBound(use, kTwelveGigabytes, *largest) >= kWorkspaces);
  BOOST_TEST(*workspaceBound(use, kTwelveGigabytes, *largest + 1) < kWorkspaces);
}

BOOST_AUTO_TEST_CASE(copies_are_parameters_of_the_model) {
  const MemoryUse plain = useOf("alexnet");
  const MemoryUse momentum = useOf("alexnet", {.parameters = 4, .feature_maps = 2});

  BOOST_TEST(3 * momentum.parameterBytes() == 4 * plain.parameterBytes());
  BOOST_TEST(momentum.feature_map_bytes_per_sample == 2 * plain.feature_map_bytes_per_sample);
}

BOOST_AUTO_TEST_CASE(a_text_networks_sequences_are_feature_maps) {
  const MemoryUse use = useOf("ptb-lstm-small");

  // The words, two layers, and the softmax of each word.
  BOOST_TEST(use.feature_map_bytes_per_sample == 4 * 20 * (1 + 200 + 200 + 10'000));
  BOOST_TEST(use.convolution_parameter_bytes == 0);
  BOOST_TEST(use.classifier_parameter_bytes == 12 * (2'000'000 + 640'000 + 2'000'000));
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_says_how_much_is_missing) {
  const MemoryUse use{100, 30, 20};

  BOOST_TEST(*workspaceBound(use, 150, 1) == 0);
  BOOST_TEST(*largestBatch(use, 150) == 1);
  BOOST_TEST(*largestBatch(use, 349) == 2);
  BOOST_TEST(*largestBatch(use, 350) == 3);
  test::Refusals refusals;
  refusals.add("a sample", workspaceBound(use, 149, 1), "149 bytes");
  refusals.add("a workspace of 1 byte", largestBatch(use, 150, 1));
  refusals.compareWith("planner/sizing/memory_model.txt");
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_are_refused) {
  const auto list = papers::architecture("lenet5");
  BOOST_REQUIRE(list);
  const MemoryUse use{100, 30, 20};

  for (const std::string& problem :
       {problemOf(memoryUse(*list, {.parameters = 0})),
        problemOf(memoryUse(*list, {.feature_maps = -1})),
        problemOf(memoryUse(*list, {.feature_maps = kMost})),
        problemOf(workspaceBound(use, 1000, 0)), problemOf(workspaceBound(use, 0, 1)),
        problemOf(workspaceBound(use, kMost, kMost)), problemOf(largestBatch({}, 1000)),
        problemOf(largestBatch(use, 1000, -1)), problemOf(largestBatch(use, -1))}) {
    BOOST_TEST(problem.rfind("memory model: ", 0) == 0U, problem);
  }
  BOOST_TEST(!memoryUse({"empty", "a test", {}}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::memory_model_test
