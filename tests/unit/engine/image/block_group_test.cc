#include "engine/image/block_group.h"

#include <boost/test/unit_test.hpp>

namespace sumac::worker::image::block_group_test {
namespace {

// Convolutions with 16 lanes, as measured: docs/performance.md.
constexpr std::size_t kLanes = 16;
constexpr BackwardSizes kFifthOf16{.gradients = 32 * 16 * 18 * kLanes,
                                   .inputs = 32 * 20 * 20 * kLanes,
                                   .input_reads = 8,
                                   .sums = 32 * 32 * 25 * kLanes};
constexpr BackwardSizes kFifthOf8{.gradients = 64 * 8 * 10 * kLanes,
                                  .inputs = 32 * 12 * 12 * kLanes,
                                  .input_reads = 16,
                                  .sums = 64 * 32 * 25 * kLanes};
constexpr BackwardSizes kThirdOf14{.gradients = 128 * 14 * 16 * kLanes,
                                   .inputs = 128 * 16 * 16 * kLanes,
                                   .input_reads = 32,
                                   .sums = 128 * 128 * 9 * kLanes};

}  // namespace

BOOST_AUTO_TEST_SUITE(block_group)

BOOST_AUTO_TEST_CASE(is_all_blocks_where_sums_are_more_than_gradients_that_leave_the_cache) {
  BOOST_TEST(blocksPerGroup(kFifthOf8, 7) == 7U);
}

BOOST_AUTO_TEST_CASE(is_one_block_where_its_gradients_fit_the_cache_and_sums_are_small) {
  BOOST_TEST(blocksPerGroup(kFifthOf16, 7) == 1U);
}

BOOST_AUTO_TEST_CASE(is_no_more_blocks_than_have_their_inputs_in_the_third_level) {
  BOOST_TEST(blocksPerGroup(kThirdOf14, 7) == 2U);
}

BOOST_AUTO_TEST_CASE(is_all_blocks_where_everything_stays_in_the_cache) {
  const BackwardSizes small{.gradients = 1000, .inputs = 1000, .input_reads = 4, .sums = 1};
  BOOST_TEST(blocksPerGroup(small, 1) == 1U);
  BOOST_TEST(blocksPerGroup(small, 2) == 2U);
  BOOST_TEST(blocksPerGroup(small, 100) == 100U);
}

BOOST_AUTO_TEST_CASE(is_all_blocks_where_sums_are_one_float_more_than_all_other_values) {
  BackwardSizes sizes = kFifthOf16;
  sizes.inputs = 1'000'000;
  sizes.sums = 3 * (sizes.gradients + sizes.inputs);
  sizes.input_reads = 1000;
  BOOST_TEST(blocksPerGroup(sizes, 3) == 1U);
  ++sizes.sums;
  BOOST_TEST(blocksPerGroup(sizes, 3) == 3U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::image::block_group_test
