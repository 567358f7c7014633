#include "tests/papers/das/blocking.h"

#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/papers/architectures.h"

namespace sumac::planner::papers::blocking_test {
namespace {

using boost::test_tools::tolerance;

constexpr std::int64_t kCacheBytes = 128 * 1024;

Layer layerOf(std::string_view network, std::string_view name) {
  const auto list = architecture(network);
  BOOST_REQUIRE(list);
  for (const Layer& layer : list->layers) {
    if (layer.name == name) return layer;
  }
  BOOST_FAIL("no layer " << name);
  return {};
}

template <typename Value>
std::string problemOf(const Result<Value>& result) {
  return result ? "none" : result.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(d7_blocking)

BOOST_AUTO_TEST_CASE(d7_overfeats_fifth_convolution_unblocked_moves_half_a_byte_a_flop) {
  const Layer layer = layerOf("overfeat-fast", "conv5");
  const ConvolutionBlock block{.outputs = 1, .inputs = 1, .output_rows = 12, .output_columns = 12};

  BOOST_TEST(*bytesPerFlop(layer, block, BlockWalk::kNone) == 0.5386, tolerance(1e-4));
  BOOST_TEST(*blockBytes(layer, block) == 4 * (144 + 196 + 9));
}

BOOST_AUTO_TEST_CASE(d7_with_128_kilobytes_all_listed_layers_move_less_than_0_04) {
  struct Case {
    std::string_view network;
    std::string_view layer;
    double bytes_per_flop;
  };
  for (const Case& each :
       {Case{"overfeat-fast", "conv1", 0.0172}, Case{"overfeat-fast", "conv2", 0.0077},
        Case{"overfeat-fast", "conv3", 0.0171}, Case{"overfeat-fast", "conv4", 0.0167},
        Case{"overfeat-fast", "conv5", 0.0165}, Case{"vgg-a", "conv2", 0.0121},
        Case{"vgg-a", "conv4", 0.0098}, Case{"vgg-a", "conv6", 0.0098},
        Case{"vgg-a", "conv8", 0.0129}}) {
    BOOST_TEST_CONTEXT(each.network << " " << each.layer) {
      const Layer layer = layerOf(each.network, each.layer);

      const auto best = bestBlock(layer, kCacheBytes);

      BOOST_REQUIRE(best);
      BOOST_TEST(best->bytes_per_flop == each.bytes_per_flop, tolerance(0.007));
      BOOST_TEST(best->bytes_per_flop < 0.04);
      BOOST_TEST(best->cache_bytes <= kCacheBytes);
      BOOST_TEST(*blockBytes(layer, best->block) == best->cache_bytes);
      BOOST_TEST(*bytesPerFlop(layer, best->block, BlockWalk::kInputs) == best->bytes_per_flop);
    }
  }
}

BOOST_AUTO_TEST_CASE(d7_twelve_vectors_in_registers_take_an_access_every_nine_operations) {
  BOOST_TEST(*registerTraffic(12, 9, 8) == 96.0 / 864, tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(a_larger_cache_never_moves_more) {
  const Layer layer = layerOf("overfeat-fast", "conv3");
  double before = 1e9;
  for (std::int64_t bytes = 1024; bytes <= 4 << 20; bytes *= 2) {
    const auto best = bestBlock(layer, bytes);
    BOOST_REQUIRE(best);
    BOOST_TEST(best->bytes_per_flop <= before);
    before = best->bytes_per_flop;
  }
}

BOOST_AUTO_TEST_CASE(groups_have_feature_maps_of_their_own) {
  const Layer grouped = layerOf("alexnet", "conv2");
  BOOST_REQUIRE(grouped.groups == 2);

  BOOST_TEST(problemOf(blockBytes(grouped, {.outputs = 128, .inputs = 48})) == "none");
  BOOST_TEST(problemOf(blockBytes(grouped, {.outputs = 129, .inputs = 48})) != "none");
  BOOST_TEST(problemOf(blockBytes(grouped, {.outputs = 128, .inputs = 49})) != "none");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused) {
  const Layer layer = layerOf("vgg-a", "conv2");
  const Layer dense = layerOf("vgg-a", "dense1");

  for (const std::string& problem :
       {problemOf(bestBlock(dense, kCacheBytes)), problemOf(bestBlock(layer, 20)),
        problemOf(bestBlock(layer, -1)), problemOf(blockBytes(layer, {.outputs = 0})),
        problemOf(bytesPerFlop(layer, {.output_columns = 113}, BlockWalk::kNone)),
        problemOf(bytesPerFlop(dense, {}, BlockWalk::kNone))}) {
    BOOST_TEST(problem.rfind("blocking of layer ", 0) == 0U, problem);
  }
  BOOST_TEST(!registerTraffic(0, 9, 8).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::papers::blocking_test
