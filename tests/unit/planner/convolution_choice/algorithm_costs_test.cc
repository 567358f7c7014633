#include "planner/convolution_choice/algorithm_costs.h"

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include "planner/network/architectures.h"

namespace sumac::planner::algorithm_costs_test {
namespace {

/// VGG-16's second convolution: 64 channels of 224 x 224 to as many, 3 x 3.
Layer aConvolution() {
  const auto list = architecture("vgg16");
  BOOST_REQUIRE(list);
  return list->layers.at(2);
}

constexpr AlgorithmModel kOneFlop{.flops_per_second = 1};

std::string problemWith(const Layer& layer, std::int64_t batch, const AlgorithmModel& model) {
  const auto costs = modelledAlgorithms(layer, batch, model);
  return costs ? "none" : costs.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(algorithm_costs)

BOOST_AUTO_TEST_CASE(a_convolution_of_3_by_3_has_four_algorithms) {
  const Layer layer = aConvolution();
  BOOST_REQUIRE(layer.name == "conv2");

  const auto costs = modelledAlgorithms(layer, 2, kOneFlop);

  BOOST_REQUIRE(costs);
  BOOST_TEST(costs->layer == "conv2");
  BOOST_REQUIRE(costs->algorithms.size() == 4U);
  const double flops = 2.0 * 2 * 64 * 64 * 9 * 224 * 224;
  BOOST_TEST(costs->algorithms[0].name == "direct");
  BOOST_TEST(costs->algorithms[0].seconds == flops);
  BOOST_TEST(costs->algorithms[0].workspace_bytes == 0);
  BOOST_TEST(costs->algorithms[1].name == "im2col");
  BOOST_TEST(costs->algorithms[1].seconds == flops);
  BOOST_TEST(costs->algorithms[1].workspace_bytes == 4LL * 9 * 64 * 224 * 224);
  // 224 + 3 - 1 = 226 points, as a power of two 256.
  const double transforms = 2 * 64 + 2 * 64 + 64 * 64;
  BOOST_TEST(costs->algorithms[2].name == "fft");
  BOOST_TEST(
      costs->algorithms[2].seconds == 8.0 * 2 * 64 * 64 * 256 * 129 + transforms * 2.5 * 65536 * 16,
      boost::test_tools::tolerance(1e-12));
  BOOST_TEST(costs->algorithms[2].workspace_bytes ==
             static_cast<std::int64_t>(8.0 * 256 * 129 * transforms));
  BOOST_TEST(costs->algorithms[3].name == "winograd");
  BOOST_TEST(costs->algorithms[3].seconds == flops * 16 / 36, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(costs->algorithms[3].workspace_bytes == 4LL * 16 * (64 * 64 + 112 * 112 * 128));
}

BOOST_AUTO_TEST_CASE(winograd_is_for_3_by_3_with_stride_1_only) {
  Layer layer = aConvolution();
  layer.stride = 2;

  const auto costs = modelledAlgorithms(layer, 1, kOneFlop);

  BOOST_REQUIRE(costs);
  BOOST_TEST(costs->algorithms.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_speed_in_flops_divides_all_times) {
  const auto slow = modelledAlgorithms(aConvolution(), 1, kOneFlop);
  const auto fast = modelledAlgorithms(aConvolution(), 1, {.flops_per_second = 1e12});

  BOOST_REQUIRE(slow);
  BOOST_REQUIRE(fast);
  for (std::size_t i = 0; i < slow->algorithms.size(); ++i) {
    BOOST_TEST(fast->algorithms[i].seconds * 1e12 == slow->algorithms[i].seconds,
               boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(what_has_no_costs_is_refused) {
  Layer dense = aConvolution();
  dense.kind = LayerKind::kDense;
  Layer volume = aConvolution();
  volume.kernel = {3, 3, 3};
  const Layer layer = aConvolution();

  BOOST_TEST(problemWith(dense, 1, kOneFlop).find("not a convolution") != std::string::npos);
  BOOST_TEST(problemWith(volume, 1, kOneFlop).find("not a convolution") != std::string::npos);
  BOOST_TEST(problemWith(layer, 0, kOneFlop).find("mini-batch of 0") != std::string::npos);
  BOOST_TEST(problemWith(layer, 1, {}).find("FLOP/s") != std::string::npos);
  BOOST_TEST(problemWith(layer, 1, {.flops_per_second = std::nan("")}).find("FLOP/s") !=
             std::string::npos);
  BOOST_TEST(problemWith(layer, 1, {.flops_per_second = 1, .images_held = 0}).find("images held") !=
             std::string::npos);
  BOOST_TEST(problemWith(layer, std::numeric_limits<std::int64_t>::max(), kOneFlop)
                 .find("exceeds 2^62 bytes") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::algorithm_costs_test
