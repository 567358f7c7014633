#include "tests/papers/das/data_parallel.h"

#include <cmath>
#include <limits>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/papers/architectures.h"

namespace sumac::planner::papers::data_parallel_test {
namespace {

using boost::test_tools::tolerance;

LayerList networkOf(std::string_view name) {
  const auto list = architecture(name);
  BOOST_REQUIRE(list);
  return *list;
}

template <typename Value>
std::string problemOf(const Result<Value>& result) {
  return result ? "none" : result.error().message;
}

/// "2 / 128": points a node, nodes, of a mini-batch of 256 points.
std::string limitOf(std::string_view network, double system, double overlap) {
  const auto balance = flopsPerByteAndPoint(networkOf(network), overlap);
  BOOST_REQUIRE(balance);
  const auto limit = dataParallelLimit(*balance, system, 256);
  BOOST_REQUIRE(limit);
  return std::to_string(limit->points_per_node) + " / " + std::to_string(limit->nodes);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(d1_data_parallel)

BOOST_AUTO_TEST_CASE(d1_the_systems_have_336_and_1336_flops_a_byte) {
  // 2 x 16 cores of 2.3 GHz on FDR InfiniBand; 18 cores of 2.9 GHz on 10 GbE; 32 FLOP a cycle.
  BOOST_TEST(std::floor(*systemFlopsPerByte(32 * 2.3e9 * 32, 7e9)) == 336);
  BOOST_TEST(std::floor(*systemFlopsPerByte(18 * 2.9e9 * 32, 1.25e9)) == 1336);
}

BOOST_AUTO_TEST_CASE(d1_the_balance_is_one_and_a_half_times_the_outputs_positions) {
  LayerList list = networkOf("overfeat-fast");
  BOOST_TEST(*flopsPerByteAndPoint(list, 1) == 250.7, tolerance(2e-4));
  BOOST_TEST(*flopsPerByteAndPoint(networkOf("vgg-a"), 1) == 1218.1, tolerance(1e-4));
  BOOST_TEST(*flopsPerByteAndPoint(list, 0) == *flopsPerByteAndPoint(list, 1) / 2,
             tolerance(1e-12));

  std::erase_if(list.layers, [](const Layer& layer) {
    return layer.kind == LayerKind::kConvolution && layer.output_extents != Extents{12, 12};
  });
  BOOST_TEST(*flopsPerByteAndPoint(list, 1) == 216, tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(d1_the_limits_are_those_of_the_table) {
  constexpr double kFdr = 2355.2 / 7;
  constexpr double kTenGigabit = 1670.4 / 1.25;
  BOOST_TEST(limitOf("overfeat-fast", kFdr, 1) == "2 / 128");
  BOOST_TEST(limitOf("overfeat-fast", kFdr, 0) == "3 / 86");
  BOOST_TEST(limitOf("overfeat-fast", kTenGigabit, 1) == "6 / 43");
  BOOST_TEST(limitOf("overfeat-fast", kTenGigabit, 0) == "11 / 24");
  BOOST_TEST(limitOf("vgg-a", kFdr, 1) == "1 / 256");
  BOOST_TEST(limitOf("vgg-a", kTenGigabit, 1) == "2 / 128");
  BOOST_TEST(limitOf("vgg-a", kTenGigabit, 0) == "3 / 86");
}

BOOST_AUTO_TEST_CASE(d1_the_convolutions_weights_are_those_of_the_table) {
  const auto megabytes = [](std::string_view name) {
    double weights = 0;
    for (const Layer& layer : networkOf(name).layers)
      weights += layer.kind == LayerKind::kConvolution ? static_cast<double>(layer.weights) : 0;
    return 4 * weights / 1e6;
  };

  BOOST_TEST(megabytes("overfeat-fast") == 63.9, tolerance(1e-3));
  BOOST_TEST(megabytes("vgg-a") == 36.9, tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_are_refused) {
  const LayerList list = networkOf("vgg-a");
  for (const std::string& problem :
       {problemOf(systemFlopsPerByte(0, 1)), problemOf(systemFlopsPerByte(1, -1)),
        problemOf(systemFlopsPerByte(1e300, 1e-300)), problemOf(flopsPerByteAndPoint(list, 1.1)),
        problemOf(flopsPerByteAndPoint(list, std::nan(""))),
        problemOf(flopsPerByteAndPoint(networkOf("cd-dnn"), 1)),
        problemOf(dataParallelLimit(0, 1, 1)), problemOf(dataParallelLimit(1, 1, 0)),
        problemOf(dataParallelLimit(1e-300, 1e300, 1))}) {
    BOOST_TEST(problem.rfind("balance of data parallelism: ", 0) == 0U, problem);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::papers::data_parallel_test
